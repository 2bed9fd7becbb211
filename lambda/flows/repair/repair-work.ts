import type { RepairEnd, RepairMessage } from "../../domain/repair/repair-entry.ts";
import { later } from "../../domain/time.ts";
import type { RepairPorts } from "../../ports/ports.ts";
import type { QueueWork } from "../queue/queue-work.ts";
import type { ReportPolicy } from "../report/report-tools.ts";
import { Reports } from "../report/reports.ts";
import { repairPass } from "./repair-pass.ts";
import type { RepairWorkPolicy } from "./repair-tools.ts";

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
