import type { Duration } from "../../lambda/domain/time.ts";
import type { Breakage } from "../../sandbox/breakage.ts";
import type { Timeout } from "./deploy-demo.ts";
import type { Message } from "./saved-event-schema.ts";

/** What is to be replayed, and how. */
export interface ReplayRequest {
  /** The event's file, as it was named. */
  readonly event: string;
  readonly messages: readonly Message[];
  readonly via: "queue" | "direct";
  readonly broken: Breakage | "nothing";
  readonly drainTimeout: Timeout;
  readonly launchTimeout: Timeout;
  /** When the replay is given up. */
  readonly timeout: Duration;
  readonly format: "text" | "json";
}

/** Whether an event is about an instance that is launched, and not about one that leaves. */
export const isLaunch = ({ messages }: Pick<ReplayRequest, "messages">): boolean =>
  messages.some(({ message }) => message.includes("EC2_INSTANCE_LAUNCHING"));
