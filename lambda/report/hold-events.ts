import { counted, someOf } from "../base/counted.ts";
import type { BudgetNumbers } from "../drain/drain-entry.ts";
import type { BudgetHold } from "./holds.ts";
import { type EventRow, onNode, row } from "./kube-event.ts";

const held = { type: "Warning", series: "in each pass" } as const;

const healthOf = ({ budget, healthy, desired, allowed }: BudgetNumbers): string =>
  `${budget} (${healthy} healthy of ${desired} desired, ${allowed} disruptions allowed)`;

/** Names the pods if one budget holds them, and otherwise the budgets. */
function noteOf(holds: readonly BudgetHold[]): string {
  const pods = holds.flatMap((hold) => hold.pods);
  const count = counted(pods.length, "pod");
  const all = holds.map(healthOf);
  return holds.length === 1
    ? `budget ${all.join()} holds ${count}: ${someOf(pods)}`
    : `${holds.length} budgets hold ${count}: ${someOf(all)}`;
}

/** The Events of budgets that hold pods for a long time. */
export const holdEvents: readonly EventRow[] = [
  row(
    "holds-last",
    {
      ...held,
      action: "Drain",
      on: "node",
      reason: "WaitingForBudget",
      meaning:
        "PodDisruptionBudgets have let none of these pods go for ten seconds, or still do not when the pass ends. There is one Event for those that begin to hold pods at about the same time.",
    },
    ({ node, holds }) => {
      const budgets = holds.map(({ budget }) => budget).toSorted();
      return onNode(node, noteOf(holds), budgets.join(", "));
    },
  ),
  row(
    "holds-last",
    {
      ...held,
      action: "Evict",
      on: "owner",
      reason: "EvictionBlocked",
      meaning:
        "The same, for the application's team: at the controller of the pods, or at a pod that has none.",
    },
    ({ node, holds }, { deadline }) =>
      holds.flatMap((hold) => {
        const until = deadline === "" ? "" : ` by ${deadline}`;
        const note = `budget ${healthOf(hold)} lets no pod leave node ${node}, which has to be drained${until}`;
        const about = `${hold.budget} ${node}`;
        return hold.owners.map((regarding) => ({ regarding, note, about }));
      }),
  ),
];
