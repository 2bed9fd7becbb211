import { Alarm, ComparisonOperator, TreatMissingData } from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import type { OtherFunction } from "../function/other-function.ts";
import type { Operable } from "../operable.ts";
import { type AlarmCondition, condition, period } from "./alarm-condition.ts";
import type { AlarmOptions } from "./alarm-options.ts";

/** Goes off after a quarter of an hour with a data point in each period. */
const lasting = { above: 0, periods: 3 } as const;

/** The deployment to watch. */
export interface AlarmsProps extends AlarmOptions {
  readonly watched: Operable;
  readonly otherFunctions: readonly OtherFunction[];
}

/** The alarms of a deployment. The description of each names its heading in the runbook. */
export class Alarms extends Construct {
  readonly alarms: readonly Alarm[];

  constructor(scope: Construct, id: string, { watched, otherFunctions, ...options }: AlarmsProps) {
    super(scope, id);
    const { clusterName } = watched.cluster;
    const conditions = [
      ...nodeConditions(watched),
      ...otherFunctions.flatMap((one) => one.alarmsOn()),
    ];
    this.alarms = conditions
      .filter(({ kind }) => (options[kind] ?? "on") === "on")
      .map((condition) => this.#alarm(clusterName, condition));
    for (const alarm of this.alarms) alarm.addAlarmAction(...(options.actions ?? []));
  }

  #alarm(clusterName: string, { id, tells, metric, above, periods }: AlarmCondition) {
    const heading = `alarm${id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    return new Alarm(this, id, {
      alarmDescription: `Nodes of EKS cluster ${clusterName}: ${tells} docs/runbook.md#${heading}`,
      metric,
      threshold: above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: TreatMissingData.NOT_BREACHING, // an idle queue, function and journal report nothing
    });
  }
}

/** The conditions about the node function and its notices. */
const nodeConditions = (watched: Operable): readonly AlarmCondition[] => [
  condition(
    "deadLetters",
    "A notice lies in the dead letters.",
    watched.metricDeadLetters({ period }),
  ),
  condition(
    "waitingNotices",
    "Nobody looks at the notices.",
    watched.metricOldestNotice({ period }),
    { above: 600, periods: 1 },
  ),
  condition(
    "functionErrors",
    "The function crashes or times out.",
    watched.metricFunctionErrors({ period }),
  ),
  condition(
    "functionThrottles",
    "Lambda keeps refusing to run the function.",
    watched.metricFunctionThrottles({ period }),
    lasting,
  ),
  condition(
    "faults",
    "The function meets faults that do not pass.",
    watched.metricFaults({ period }),
    lasting,
  ),
  ...drainConditions(watched),
];

/** The conditions about the outcomes of drains and launches. */
const drainConditions = (watched: Operable): readonly AlarmCondition[] => [
  condition(
    "expiredDrains",
    "A node was not empty at its deadline.",
    watched.metricExpiredDrains({ period }),
  ),
  condition(
    "failedLaunches",
    "The node of a launched instance was not ready in time.",
    watched.metricFailedLaunches({ period }),
  ),
  condition(
    "lateHeartbeats",
    "A hook nearly ran into its timeout.",
    watched.metricHeartbeatAge({ period }),
    { above: 0.75 * watched.hooks.heartbeat.toSeconds(), periods: 1 },
  ),
  ...watched.notifiers.map((one) =>
    condition(
      "lostNews",
      "The webhook did not get the news of a drain.",
      one.metricLost({ period }),
    ),
  ),
];
