import type { Duration } from "../../lambda/domain/time.ts";
import type { Breakage } from "../../sandbox/breakage.ts";
import type { DrainTimeout } from "./deploy-demo.ts";
import type { Message } from "./saved-event-schema.ts";

/** What is to be replayed, and how. */
export interface ReplayRequest {
  /** The event's file, as it was named. */
  readonly event: string;
  readonly messages: readonly Message[];
  readonly via: "queue" | "direct";
  readonly broken: Breakage | "nothing";
  readonly drainTimeout: DrainTimeout;
  /** When the replay is given up. */
  readonly timeout: Duration;
  readonly format: "text" | "json";
}
