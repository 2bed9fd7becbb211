import type { Duration } from "../../lambda/base/time.ts";
import { launches } from "../../sandbox/aws/lifecycle.ts";
import type { Breakage } from "../../sandbox/breakage.ts";
import type { DemoAction } from "../../sandbox/scenarios/demo-action.ts";
import type { Timeout } from "./deploy-demo.ts";
import type { Message } from "./saved-event-schema.ts";

/** What is to be replayed, and how. */
export interface ReplayRequest {
  /** The path of the event file, as the user gave it. */
  readonly event: string;
  readonly messages: readonly Message[];
  /** The lifecycle action that the sandbox holds an instance for. */
  readonly action: DemoAction;
  readonly via: "queue" | "direct";
  readonly broken: Breakage | "nothing";
  readonly drainTimeout: Timeout;
  readonly launchTimeout: Timeout;
  /** How long the replay may take before it is given up. */
  readonly timeout: Duration;
  readonly format: "text" | "json";
  /** The file for the picture of the replay; empty if nobody wants one. */
  readonly page: string;
}

/** Whether an action is about an instance that launches, and not about one that terminates. */
export const isLaunch = ({ journey }: DemoAction): boolean => launches(journey);
