import type { Clock } from "../base/clock.port.ts";
import type { InstanceId } from "../base/ids.ts";
import type { Instant } from "../base/time.ts";
import type { Cluster, EventRecorder } from "../registrations/kubernetes.port.ts";
import type { Journal } from "../registrations/process.port.ts";
import type { Task } from "./story.ts";

/** What is told besides the log. */
interface ReportSettings {
  readonly kubernetesEvents: "off" | "on";
  readonly metrics: "off" | "on";
}

/** How a deployment reports. */
export interface ReportPolicy {
  readonly reports: ReportSettings;
  /** Whether a webhook is told the news of drains. */
  readonly news: "off" | "on";
  /** The namespace of this deployment's metrics. */
  readonly metricsNamespace: string;
}

/** What reports need. */
export interface ReportTools extends ReportPolicy {
  readonly clock: Clock;
  readonly events: EventRecorder;
  readonly cluster: Pick<Cluster, "mark" | "node">;
}

/** An entry, and what it is about as far as it says so. */
export type RecordedEntry = Parameters<Journal["record"]>[0];

/** A pass to report about. */
export interface ReportedPass {
  readonly notice: Task;
  /** The instance that it is about; empty where it names several or none. */
  readonly instance: InstanceId | "";
  readonly receives: number;
  readonly journal: Journal;
  /** From when on the time of its work counts. */
  readonly begun: Instant;
}
