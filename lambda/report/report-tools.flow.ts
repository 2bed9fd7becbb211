import type { Clock } from "../base/clock.port.ts";
import type { InstanceId } from "../base/ids.ts";
import type { Instant } from "../base/time.ts";
import type { Cluster } from "../drain/drain.port.ts";
import type { Journal } from "../notice/journal.port.ts";
import type { EventRecorder } from "./report.port.ts";
import type { Task } from "./story.ts";

/** What is reported besides the log. */
interface ReportSettings {
  readonly kubernetesEvents: "off" | "on";
  readonly metrics: "off" | "on";
}

/** The report settings of a deployment. */
export interface ReportPolicy {
  readonly reports: ReportSettings;
  /** Whether drains write news for a webhook. */
  readonly news: "off" | "on";
  readonly metricsNamespace: string;
}

export interface ReportTools extends ReportPolicy {
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly cluster: Pick<Cluster, "mark" | "node">;
}

/** An entry with its subject, as far as the entry names one. */
export type RecordedEntry = Parameters<Journal["record"]>[0];

export interface ReportedPass {
  readonly notice: Task;
  /** The instance that the pass is about; empty where it is about several or none. */
  readonly instance: InstanceId | "";
  readonly receives: number;
  readonly journal: Journal;
  /** When the time of its work begins to count. */
  readonly begun: Instant;
}
