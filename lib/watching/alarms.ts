import { Duration } from "aws-cdk-lib";
import {
  Alarm,
  ComparisonOperator,
  type Metric,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import type { OtherFunction } from "../function/other-function.ts";
import type { Operable } from "../operable.ts";
import type { Repairs } from "../repair/repairs.ts";
import type { Upgrades } from "../upgrade/upgrades.ts";
import type { AlarmOptions } from "./alarm-options.ts";

/** When an alarm about something goes off, and what it tells. */
interface AlarmCondition<Watched> {
  readonly kind: Exclude<keyof AlarmOptions, "actions">;
  readonly id: string;
  /** A sentence; the heading in the runbook has the words of the id. */
  readonly tells: string;
  /** `undefined` where the deployment has nothing of that kind. */
  metric(watched: Watched): Metric | undefined;
  above(watched: Watched): number;
  readonly periods: number;
}

/** The period that alarms count in. */
const period = Duration.minutes(5);
/** Goes off for whatever is more than none. */
const none = () => 0;
/** Any at all, in a single period. */
const any = { above: none, periods: 1 } as const;
/** Some in each period of a quarter of an hour. */
const lasting = { above: none, periods: 3 } as const;

/** The deployment to watch. */
export interface AlarmsProps extends AlarmOptions {
  readonly watched: Operable;
  /** @default there are none */
  readonly upgrades: Upgrades | undefined;
  /** @default there are none */
  readonly repairs: Repairs | undefined;
}

/** The alarms of a deployment; the description of each names its heading in the runbook. */
export class Alarms extends Construct {
  readonly alarms: readonly Alarm[];

  constructor(
    scope: Construct,
    id: string,
    { watched, upgrades, repairs, ...options }: AlarmsProps,
  ) {
    super(scope, id);
    const { clusterName } = watched.cluster;
    const made = <Watched>(all: readonly AlarmCondition<Watched>[], of: Watched) =>
      all
        .filter(({ kind }) => (options[kind] ?? "on") === "on")
        .flatMap((condition) => {
          const metric = condition.metric(of);
          if (metric === undefined) return [];
          const threshold = condition.above(of);
          return [this.#alarm(clusterName, condition, { metric, threshold })];
        });
    this.alarms = [
      ...made(nodeConditions, watched),
      ...(upgrades ? made(upgradeConditions, upgrades) : []),
      ...(repairs ? made(repairConditions(repairs.every), repairs) : []),
    ];
    for (const alarm of this.alarms) alarm.addAlarmAction(...(options.actions ?? []));
  }

  #alarm(
    clusterName: string,
    { id, tells, periods }: Pick<AlarmCondition<never>, "id" | "periods" | "tells">,
    measure: { readonly metric: Metric; readonly threshold: number },
  ) {
    const heading = `alarm${id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return new Alarm(this, id, {
      alarmDescription: `Nodes of EKS cluster ${clusterName}: ${tells} docs/runbook.md#${heading}`,
      ...measure,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: TreatMissingData.NOT_BREACHING, // an idle queue, function and journal report nothing
    });
  }
}

/** The conditions about the node function and its notices. */
const nodeConditions: readonly AlarmCondition<Operable>[] = [
  {
    kind: "deadLetters",
    id: "DeadLetters",
    tells: "A notice lies in the dead letters.",
    metric: (watched) => watched.metricDeadLetters({ period }),
    ...any,
  },
  {
    kind: "waitingNotices",
    id: "WaitingNotices",
    tells: "Nobody looks at the notices.",
    metric: (watched) => watched.metricOldestNotice({ period }),
    above: () => 600,
    periods: 1,
  },
  {
    kind: "functionErrors",
    id: "FunctionErrors",
    tells: "The function crashes or times out.",
    metric: (watched) => watched.metricFunctionErrors({ period }),
    ...any,
  },
  {
    kind: "functionThrottles",
    id: "FunctionThrottles",
    tells: "Lambda keeps refusing to run the function.",
    metric: (watched) => watched.metricFunctionThrottles({ period }),
    ...lasting,
  },
  {
    kind: "faults",
    id: "Faults",
    tells: "The function meets faults that do not pass.",
    metric: (watched) => watched.metricFaults({ period }),
    ...lasting,
  },
  {
    kind: "expiredDrains",
    id: "ExpiredDrains",
    tells: "A node was not empty at its deadline.",
    metric: (watched) => watched.metricExpiredDrains({ period }),
    ...any,
  },
  {
    kind: "failedLaunches",
    id: "FailedLaunches",
    tells: "The node of a launched instance was not ready in time.",
    metric: (watched) => watched.metricFailedLaunches({ period }),
    ...any,
  },
  {
    kind: "lateHeartbeats",
    id: "LateHeartbeats",
    tells: "A hook nearly ran into its timeout.",
    metric: (watched) => watched.metricHeartbeatAge({ period }),
    above: ({ hooks }) => 0.75 * hooks.heartbeat.toSeconds(),
    periods: 1,
  },
  {
    kind: "lostNews",
    id: "LostNews",
    tells: "The webhook was not told of a drain.",
    metric: (watched) => watched.webhook?.metricLost({ period }),
    ...any,
  },
];

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
const upgradeConditions: readonly AlarmCondition<Upgrades>[] = [
  ...ofOther("Upgrade", {
    deadLetters: "A command to upgrade a group lies in the dead letters.",
    errors: "The upgrade function crashes or times out.",
  }),
  {
    kind: "failedUpgrades",
    id: "FailedUpgrades",
    tells: "The upgrade of a group has failed.",
    metric: ({ failed }) => failed.metric({ statistic: "Sum", period }),
    ...any,
  },
];

/** The conditions about repairs. Two passes count together, so that one that comes late leaves no gap. */
function repairConditions(every: Duration): readonly AlarmCondition<Repairs>[] {
  const minutes = 2 * every.toMinutes();
  return [
    ...ofOther("Repair", {
      deadLetters: "A message of the schedule lies in the dead letters.",
      errors: "The repair function crashes or times out.",
    }),
    {
      kind: "heldRepairs",
      id: "HeldRepairs",
      tells:
        "Repairs have been held for an hour: by a brake, by faults, or because each message of the schedule came late.",
      metric: ({ held }) => held.metric({ statistic: "Sum", period: Duration.minutes(minutes) }),
      above: none,
      periods: Math.max(2, Math.ceil(60 / minutes)),
    },
  ];
}
