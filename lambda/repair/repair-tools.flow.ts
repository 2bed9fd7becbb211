import type { InstanceId } from "../base/ids.ts";
import type { Duration, Instant } from "../base/time.ts";
import type { DrainPolicy } from "../drain/drain-policy.ts";
import type { RepairPorts } from "../registrations/ports.ts";
import type { Journal } from "../registrations/process.port.ts";
import type { RepairMessage } from "./repair-entry.ts";
import type { RepairPolicy } from "./repair-policy.ts";

/** How this deployment repairs. */
export interface RepairWorkPolicy {
  readonly drain: DrainPolicy;
  readonly repair: RepairPolicy;
  /** How often the schedule asks for a look. */
  readonly every: Duration;
}

/** Does the drain of an instance, and reports about it by itself: each has a story of its own. */
export type ReportsDrain = <T>(
  instance: InstanceId,
  drain: (journal: Journal) => Promise<T>,
) => Promise<T>;

/** What one pass works with. */
export interface RepairTools {
  readonly message: RepairMessage;
  /** How often the message has been received. */
  readonly receives: number;
  readonly policy: RepairWorkPolicy;
  readonly ports: RepairPorts;
  readonly passEnds: Instant;
  readonly reportsDrain: ReportsDrain;
}
