import { Duration } from "aws-cdk-lib";
import type { OtherFunction } from "../function/other-function.ts";
import type { Repairs } from "../repair/repairs.ts";
import type { Upgrades } from "../upgrade/upgrades.ts";
import { type AlarmCondition, any, none, period } from "./alarm-condition.ts";

/** The conditions about any function that has a queue of its own. */
const ofOther = (
  work: "Repair" | "Upgrade",
  tells: { readonly deadLetters: string; readonly errors: string },
): readonly AlarmCondition<OtherFunction>[] => [
  {
    kind: "deadLetters",
    id: `${work}DeadLetters`,
    tells: tells.deadLetters,
    metric: ({ queue: { deadLetters } }) =>
      deadLetters.metricApproximateNumberOfMessagesVisible({ period, statistic: "Maximum" }),
    ...any,
  },
  {
    kind: "functionErrors",
    id: `${work}Errors`,
    tells: tells.errors,
    metric: (its) => its.function.function.metricErrors({ period }),
    ...any,
  },
];

/** The conditions about upgrades. */
export const upgradeConditions: readonly AlarmCondition<Upgrades>[] = [
  ...ofOther("Upgrade", {
    deadLetters:
      "A command to upgrade a group lies in the dead letters. docs/runbook.md#alarm-upgrade-dead-letters",
    errors: "The upgrade function crashes or times out. docs/runbook.md#alarm-upgrade-errors",
  }),
  {
    kind: "failedUpgrades",
    id: "FailedUpgrades",
    tells: "The upgrade of a group has failed. docs/runbook.md#alarm-failed-upgrades",
    metric: ({ failed }) => failed.metric({ statistic: "Sum", period }),
    ...any,
  },
];

/** The conditions about repairs. Two passes count together, so that one that comes late leaves no gap. */
export function repairConditions(every: Duration): readonly AlarmCondition<Repairs>[] {
  const minutes = 2 * every.toMinutes();
  return [
    ...ofOther("Repair", {
      deadLetters:
        "A message of the schedule lies in the dead letters. docs/runbook.md#alarm-repair-dead-letters",
      errors: "The repair function crashes or times out. docs/runbook.md#alarm-repair-errors",
    }),
    {
      kind: "heldRepairs",
      id: "HeldRepairs",
      tells:
        "Repairs have been held for an hour: by a brake, by faults, or because each message of the schedule came late. docs/runbook.md#alarm-held-repairs",
      metric: ({ held }) => held.metric({ statistic: "Sum", period: Duration.minutes(minutes) }),
      above: none,
      periods: Math.max(2, Math.ceil(60 / minutes)),
    },
  ];
}
