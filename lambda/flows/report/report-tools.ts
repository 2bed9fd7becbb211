import type { InstanceId } from "../../domain/ids.ts";
import type { Task } from "../../domain/report/story.ts";
import type { Instant } from "../../domain/time.ts";
import type { Clock } from "../../ports/clock.ts";
import type { EventRecorder } from "../../ports/event-recorder.ts";
import type { Journal } from "../../ports/journal.ts";

/** What is told besides the log. */
interface ReportSettings {
  readonly kubernetesEvents: "off" | "on";
  readonly metrics: "off" | "on";
}

/** How a deployment reports. */
export interface ReportPolicy {
  readonly reports: ReportSettings;
  /** The namespace of this deployment's metrics. */
  readonly metricsNamespace: string;
}

/** What reports need. */
export interface ReportTools extends ReportPolicy {
  readonly clock: Clock;
  readonly events: EventRecorder;
}

/** An entry, and what it is about as far as it says so. */
export type Told = Parameters<Journal["record"]>[0];

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
