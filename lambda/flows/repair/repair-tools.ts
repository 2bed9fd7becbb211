import type { DrainPolicy } from "../../domain/drain/drain-policy.ts";
import type { InstanceId } from "../../domain/ids.ts";
import type { RepairMessage } from "../../domain/repair/repair-entry.ts";
import type { RepairPolicy } from "../../domain/repair/repair-policy.ts";
import type { Duration, Instant } from "../../domain/time.ts";
import type { Journal } from "../../ports/journal.ts";
import type { RepairPorts } from "../../ports/ports.ts";

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
