import { later } from "../base/time.ts";
import type { QueueWork } from "../notice/queue-work.flow.ts";
import type { RepairPorts } from "../registrations/ports.ts";
import type { ReportPolicy } from "../report/report-tools.flow.ts";
import { Reports } from "../report/reports.flow.ts";
import type { RepairEnd, RepairMessage } from "./repair-entry.ts";
import { repairPass } from "./repair-pass.flow.ts";
import type { RepairWorkPolicy } from "./repair-tools.flow.ts";

// For about ten minutes of faults, one after the other; the schedule sends others.
const mostReceives = 8;

/** The work that messages of the schedule ask for. */
export function repairWork(
  policy: ReportPolicy & RepairWorkPolicy,
  ports: RepairPorts,
): QueueWork<RepairMessage, RepairEnd> {
  const reports = new Reports({ ...policy, ...ports });
  return {
    pass: policy.drain.pass,
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
