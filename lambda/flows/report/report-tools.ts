import type { InstanceId } from "../../domain/ids.ts";
import type { Notice } from "../../domain/notice/notice.ts";
import type { RepairMessage } from "../../domain/repair/repair-entry.ts";
import type { Instant } from "../../domain/time.ts";
import type { Clock } from "../../ports/clock.ts";
import type { EventRecorder } from "../../ports/event-recorder.ts";
import type { Journal } from "../../ports/journal.ts";

/** What is told besides the log. */
export interface ReportSettings {
  readonly kubernetesEvents: "off" | "on";
  readonly metrics: "off" | "on";
}

/** What reports need. */
export interface ReportTools {
  readonly settings: ReportSettings;
  /** The namespace of the metrics. */
  readonly namespace: string;
  readonly clock: Clock;
  readonly events: EventRecorder;
}

/** A pass to report about. */
export interface ReportedPass {
  readonly notice: Notice | RepairMessage;
  /** The instance that it is about; empty where it names several or none. */
  readonly instance: InstanceId | "";
  readonly receives: number;
  readonly journal: Journal;
  /** From when on the time of its work counts. */
  readonly begun: Instant;
}
