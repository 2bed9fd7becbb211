import type { Outcome } from "../notice/outcome.ts";
import { blockedSeconds } from "./blocked-seconds.ts";
import { drains, heartbeatAge, timeLeft, timeTo } from "./drain-times.ts";
import { counted, type FigureRow, ofKind, one, outcomesOf } from "./figure-row.ts";

const stuckIn = (outcome: Outcome): number => ("stuck" in outcome ? outcome.stuck.length : 0);

/** The metrics of notices, of the drains and launches that they ask for, and of faults. */
export const drainFigures: readonly FigureRow[] = [
  {
    ...one,
    name: "DrainSeconds",
    unit: "Seconds",
    meaning: "How long a drain took, from its notice to its outcome.",
    values: timeTo(...drains),
  },
  {
    ...one,
    name: "TimeLeftSeconds",
    unit: "Seconds",
    meaning: "How long before its deadline a drain was over; negative when it was late.",
    values: timeLeft,
  },
  {
    ...one,
    name: "LaunchSeconds",
    unit: "Seconds",
    meaning: "How long a launch was held, from its notice to its outcome.",
    values: timeTo("joined", "registered", "not-joined"),
  },
  {
    ...one,
    name: "PodsEvicted",
    unit: "Count",
    meaning: "Pods that were evicted or deleted.",
    values: (pass) =>
      counted(ofKind(pass, "pod-evicted").length + ofKind(pass, "pod-deleted").length),
  },
  {
    ...one,
    name: "PodsForced",
    unit: "Count",
    meaning: "Pods that were deleted past a budget or a protection, or whose grace was cut.",
    values: (pass) =>
      counted(
        ofKind(pass, "pod-deleted").filter(({ past }) => past !== "").length +
          ofKind(pass, "grace-cut").length,
      ),
  },
  {
    ...one,
    name: "PodsStuck",
    unit: "Count",
    meaning: "Pods that did not end in time, and that a drain left behind.",
    values: (pass) => counted(outcomesOf(pass).reduce((sum, it) => sum + stuckIn(it), 0)),
  },
  {
    ...one,
    name: "HeartbeatAgeSeconds",
    unit: "Seconds",
    meaning:
      "The longest time that a hook goes without a heartbeat, in a pass and until the next one. An instance is lost when it reaches the hook's timeout.",
    values: heartbeatAge,
  },
  {
    name: "BudgetBlockedSeconds",
    unit: "Seconds",
    dimension: "Namespace",
    series: 21,
    meaning:
      "How long budgets of a namespace have held pods, in a pass and until the next one. Of more than twenty namespaces, the others are together in `others`.",
    values: (pass) => [...blockedSeconds(pass)],
  },
  {
    name: "RoomMade",
    unit: "Count",
    dimension: "Stage",
    series: 5,
    meaning:
      "What was done to let Deployments have more pods for a while, by its stage: `surged`, `made`, `put back`, `given up`, `not tried`.",
    values: (pass) => {
      const stages = Map.groupBy(ofKind(pass, "making-room"), ({ stage }) => stage);
      return Array.from(stages, ([stage, all]) => [stage, all.length]);
    },
  },
  {
    name: "Outcomes",
    unit: "Count",
    dimension: "Outcome",
    series: 17,
    meaning: "Notices that are done, by their outcome; the runbook has a heading for each.",
    values: (pass) => outcomesOf(pass).map(({ kind }) => [kind, 1]),
  },
  {
    name: "Notices",
    unit: "Count",
    dimension: "Kind",
    series: 8,
    meaning: "Notices that came in, by their kind; without those that test a hook.",
    values: ({ notice: { kind }, receives }) =>
      receives === 1 && kind !== "upgraded" && kind !== "repair" ? [[kind, 1]] : [],
  },
  {
    name: "IgnoredNotices",
    unit: "Count",
    dimension: "Reason",
    series: 7,
    meaning: "Notices about which nothing was done, by the reason.",
    values: (pass) =>
      outcomesOf(pass).flatMap((found) =>
        found.kind === "ignored" ? [[found.why, 1] as const] : [],
      ),
  },
  {
    name: "Faults",
    unit: "Count",
    dimension: "Code",
    series: 15,
    meaning: "Faults that passes have met, those that may pass included, by their code.",
    values: (pass) => {
      const codes = Map.groupBy(ofKind(pass, "fault"), ({ code }) => code);
      return Array.from(codes, ([code, faults]) => [code, faults.length]);
    },
  },
];
