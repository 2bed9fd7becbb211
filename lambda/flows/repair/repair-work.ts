import type { RepairEnd, RepairMessage } from "../../domain/repair/repair-entry.ts";
import { later, seconds } from "../../domain/time.ts";
import type { RepairPorts } from "../../ports/ports.ts";
import type { QueueWork } from "../queue/queue-work.ts";
import type { ReportSettings } from "../report/report-tools.ts";
import { Reports } from "../report/reports.ts";
import { repairPass } from "./repair-pass.ts";
import type { RepairWorkPolicy } from "./repair-tools.ts";

/** How this deployment repairs, and what it tells besides its log. */
export interface RepairDeployment extends RepairWorkPolicy {
  readonly reports: ReportSettings;
  readonly metricsNamespace: string;
}

// For about ten minutes of faults, one after the other; the schedule sends others.
const mostReceives = 8;

/** The work that messages of the schedule ask for. */
export function repairWork(
  { reports: settings, metricsNamespace: namespace, ...policy }: RepairDeployment,
  ports: RepairPorts,
): QueueWork<RepairMessage, RepairEnd> {
  const reports = new Reports({ ...ports, settings, namespace });
  return {
    pass: policy.drain.pass,
    // A pass that is over still waits for an answer of the API server, for 40 seconds at most.
    afterPass: seconds(45),
    mostReceives,
    run: ({ content: message, receives }, pass, journal) => {
      const begun = ports.clock.now();
      const passEnds = later(begun, pass);
      const reported = { notice: message, receives, journal, begun };
      return reports.hear({ ...reported, instance: "" }, async (heard, tell) => {
        const done = await repairPass({
          ...{ message, receives, policy, passEnds },
          ports: { ...ports, journal: heard },
          reportsDrain: (instance, drain) => reports.hear({ ...reported, instance }, drain),
        });
        if ("outcome" in done) tell({ kind: "repair-ended", ...done.outcome });
        return done;
      });
    },
    subjectOf: () => ({}),
    startEntry: ({ receives }) => ({ kind: "repair-started", receives }),
    endEntry: (_, end) => ({ kind: "repair-ended", ...end }),
    settled: () => reports.settled(),
  };
}
