import type { Clock } from "../base/clock.port.ts";
import type { InstanceId } from "../base/ids.ts";
import type { Instant } from "../base/time.ts";
import type { Cluster } from "../drain/drain.port.ts";
import type { DrainPolicy } from "../drain/drain-policy.ts";
import type { AnyEntry } from "../notice/entry.ts";
import type { Journal } from "../notice/journal.port.ts";
import type { PassEntry } from "../notice/pass-entry.ts";
import type { FigureRow } from "./figure-row.ts";
import type { EventRow } from "./kube-event.ts";
import type { DrainNews } from "./lifecycle-conditions.ts";
import type { Task } from "./pass-facts.ts";
import type { EventRecorder, OpensConditions } from "./report.port.ts";
import type { ReportEntry } from "./report-entry.ts";

/** The reports besides the log. */
interface ReportSettings {
  readonly kubernetesEvents: "off" | "on";
  readonly metrics: "off" | "on";
}

/** The report settings of a deployment. */
export interface ReportPolicy {
  readonly reports: ReportSettings;
  /** The news of drains for a webhook, on or off. */
  readonly news: "off" | "on";
  readonly metricsNamespace: string;
}

/** The rows of Events and of metrics for entries that only this function has. */
export interface ReportRows {
  readonly events: readonly EventRow[];
  readonly figures: readonly FigureRow[];
  /** The drain news in its own entries. @default none */
  readonly drains?: (entry: AnyEntry) => readonly DrainNews[];
}

export interface ReportTools extends ReportPolicy {
  /** The rows of this function alone, which a start does not need. */
  readonly rows: () => Promise<ReportRows>;
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly cluster: Pick<Cluster, "mark" | "node">;
  readonly drain: Pick<DrainPolicy, "settingsFor">;
  readonly conditions: OpensConditions;
}

/** The tools once the first pass has loaded them. */
export interface LoadedTools extends Omit<ReportTools, "rows"> {
  readonly rows: ReportRows;
}

export interface ReportedPass<E extends AnyEntry> {
  readonly notice: Task;
  /** The instance that the pass is about; empty where it is about several or none. */
  readonly instance: InstanceId | "";
  readonly receives: number;
  readonly journal: Journal<E | PassEntry | ReportEntry>;
  /** When the time of its work begins to count. */
  readonly begun: Instant;
}
