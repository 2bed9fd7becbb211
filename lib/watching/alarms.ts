import { Duration } from "aws-cdk-lib";
import {
  Alarm,
  ComparisonOperator,
  type IAlarmAction,
  type Metric,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import type { OtherFunction } from "../function/other-function.ts";
import type { Operable } from "../operable.ts";
import type { Repairs } from "../repairs/repairs.ts";
import type { Upgrades } from "../upgrades/upgrades.ts";

/** Which alarms there are, and whom they tell. */
export interface AlarmOptions {
  /** A notice lies in the dead letters, a command to upgrade a group in those of upgrades, or a pass in those of repairs. @default "on" */
  readonly deadLetters?: "off" | "on";
  /** Notices wait in the queue for longer than ten minutes before the function first looks at them. @default "on" */
  readonly waitingNotices?: "off" | "on";
  /** An invocation of a function ends in a crash or a timeout. @default "on" */
  readonly functionErrors?: "off" | "on";
  /**
   * Lambda has refused invocations for a quarter of an hour, at least once in each five minutes. Single refusals are tried
   * again and harm nobody; each one counts as a receive, and after three of them `waitingNotices` no longer sees the notice. @default "on"
   */
  readonly functionThrottles?: "off" | "on";
  /**
   * There were faults for a quarter of an hour, at least one in each five minutes. A retryable fault is tried again after three
   * minutes at most, so one that lasts shows in all of them. One that passes does not, however many drains meet it. A fault that
   * cannot pass makes a dead letter, which has an alarm of its own. @default "on"
   */
  readonly faults?: "off" | "on";
  /**
   * A drain had not emptied its node at the deadline. One is enough: its pods ended with the instance, or the instance stays and
   * costs money. Switch it off where drains usually end like that, as with `DRAIN_MODE` of `cordon-only`. @default "on"
   */
  readonly expiredDrains?: "off" | "on";
  /** The node of a launched instance was not ready in time, so that its hook let it go on or ended it. @default "on" */
  readonly failedLaunches?: "off" | "on";
  /** A hook has gone without a heartbeat for three quarters of its timeout, after which its instance is lost. Heartbeats usually come at half of it. @default "on" */
  readonly lateHeartbeats?: "off" | "on";
  /** Lambda has given up telling the webhook of a drain, where there is a webhook. @default "on" */
  readonly lostNews?: "off" | "on";
  /** An upgrade of a group cannot go on, and puts the sizes back, where there are upgrades. @default "on" */
  readonly failedUpgrades?: "off" | "on";
  /**
   * A brake has held repairs for an hour, where there are repairs: ill nodes stay until somebody looks. That a group repairs as
   * many instances as it may, and a dry run, do not count. @default "on"
   */
  readonly heldRepairs?: "off" | "on";
  /** What CloudWatch does when an alarm goes off, such as an `SnsAction`. @default nothing; the console shows the alarm */
  readonly actions?: readonly IAlarmAction[];
}

/** The deployment to watch. */
export interface AlarmsProps extends AlarmOptions {
  readonly watched: Operable;
  /** @default there are none */
  readonly upgrades: Upgrades | undefined;
  /** @default there are none */
  readonly repairs: Repairs | undefined;
}

/** When an alarm about something goes off, and what it tells. */
interface AlarmCondition<Watched> {
  readonly kind: Exclude<keyof AlarmOptions, "actions">;
  readonly id: string;
  readonly tells: string;
  /** `undefined` where the deployment has nothing of that kind. */
  metric(watched: Watched): Metric | undefined;
  above(watched: Watched): number;
  readonly periods: number;
}

const period = Duration.minutes(5);
/** How many periods in a row make a quarter of an hour. */
const lasting = 3;
const none = () => 0;

const conditions: readonly AlarmCondition<Operable>[] = [
  {
    kind: "deadLetters",
    id: "DeadLetters",
    tells: "A notice lies in the dead letters. docs/runbook.md#alarm-dead-letters",
    metric: (watched) => watched.metricDeadLetters({ period }),
    above: none,
    periods: 1,
  },
  {
    kind: "waitingNotices",
    id: "WaitingNotices",
    tells: "Nobody looks at the notices. docs/runbook.md#alarm-waiting-notices",
    metric: (watched) => watched.metricOldestNotice({ period }),
    above: () => 600,
    periods: 1,
  },
  {
    kind: "functionErrors",
    id: "FunctionErrors",
    tells: "The function crashes or times out. docs/runbook.md#alarm-function-errors",
    metric: (watched) => watched.metricFunctionErrors({ period }),
    above: none,
    periods: 1,
  },
  {
    kind: "functionThrottles",
    id: "FunctionThrottles",
    tells: "Lambda keeps refusing to run the function. docs/runbook.md#alarm-function-throttles",
    metric: (watched) => watched.metricFunctionThrottles({ period }),
    above: none,
    periods: lasting,
  },
  {
    kind: "faults",
    id: "Faults",
    tells: "The function meets faults that do not pass. docs/runbook.md#alarm-faults",
    metric: (watched) => watched.metricFaults({ period }),
    above: none,
    periods: lasting,
  },
  {
    kind: "expiredDrains",
    id: "ExpiredDrains",
    tells: "A node was not empty at its deadline. docs/runbook.md#alarm-expired-drains",
    metric: (watched) => watched.metricExpiredDrains({ period }),
    above: none,
    periods: 1,
  },
  {
    kind: "failedLaunches",
    id: "FailedLaunches",
    tells:
      "The node of a launched instance was not ready in time. docs/runbook.md#alarm-failed-launches",
    metric: (watched) => watched.metricFailedLaunches({ period }),
    above: none,
    periods: 1,
  },
  {
    kind: "lateHeartbeats",
    id: "LateHeartbeats",
    tells: "A hook nearly ran into its timeout. docs/runbook.md#alarm-late-heartbeats",
    metric: (watched) => watched.metricHeartbeatAge({ period }),
    above: ({ hooks }) => 0.75 * hooks.heartbeat.toSeconds(),
    periods: 1,
  },
  {
    kind: "lostNews",
    id: "LostNews",
    tells: "The webhook was not told of a drain. docs/runbook.md#alarm-lost-news",
    metric: (watched) => watched.webhook?.metricLost({ period }),
    above: none,
    periods: 1,
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
    above: none,
    periods: 1,
  },
  {
    kind: "functionErrors",
    id: `${work}Errors`,
    tells: tells.errors,
    metric: (its) => its.function.function.metricErrors({ period }),
    above: none,
    periods: 1,
  },
];

const upgradeConditions: readonly AlarmCondition<Upgrades>[] = [
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
    above: none,
    periods: 1,
  },
];

/** The conditions about repairs. Two passes count together, so that one that comes late leaves no gap. */
function repairConditions(every: Duration): readonly AlarmCondition<Repairs>[] {
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
      ...made(conditions, watched),
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
    return new Alarm(this, id, {
      alarmDescription: `Nodes of EKS cluster ${clusterName}: ${tells}`,
      ...measure,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: TreatMissingData.NOT_BREACHING, // an idle queue, function and journal report nothing
    });
  }
}
