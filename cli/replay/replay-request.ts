import type { Duration } from "../../lambda/domain/time.ts";
import type { Breakage } from "../../sandbox/breakage.ts";
import type { Timeout } from "./deploy-demo.ts";
import type { Message } from "./saved-event-schema.ts";

/** What is to be replayed, and how. */
export interface ReplayRequest {
  /** The path of the event file, as the user gave it. */
  readonly event: string;
  readonly messages: readonly Message[];
  readonly via: "queue" | "direct";
  readonly broken: Breakage | "nothing";
  readonly drainTimeout: Timeout;
  readonly launchTimeout: Timeout;
  /** How long the replay may take before it is given up. */
  readonly timeout: Duration;
  readonly format: "text" | "json";
}

/** Whether an event is about an instance that launches, and not about one that terminates. */
export const isLaunch = ({ messages }: Pick<ReplayRequest, "messages">): boolean =>
  messages.some(({ message }) => message.includes("EC2_INSTANCE_LAUNCHING"));
