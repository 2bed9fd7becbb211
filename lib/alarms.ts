import { Duration } from "aws-cdk-lib";
import {
  Alarm,
  ComparisonOperator,
  type IAlarmAction,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import type { Operable } from "./operable.ts";

/** Which alarms there are, and whom they tell. */
export interface AlarmOptions {
  /** A notice lies in the dead letters. @default "on" */
  readonly deadLetters?: "off" | "on";
  /** Notices wait in the queue for longer than ten minutes before the function first looks at them. @default "on" */
  readonly waitingNotices?: "off" | "on";
  /** An invocation of the function ends in a crash or a timeout. @default "on" */
  readonly functionErrors?: "off" | "on";
  /** What CloudWatch does when an alarm goes off, such as an `SnsAction`. @default nothing; the console shows the alarm */
  readonly actions?: readonly IAlarmAction[];
}

/** The deployment to watch. */
export interface AlarmsProps extends AlarmOptions {
  readonly watched: Operable;
}

const period = Duration.minutes(5);

const conditions = [
  {
    kind: "deadLetters",
    id: "DeadLetters",
    tells: "A notice lies in the dead letters. docs/runbook.md#alarm-dead-letters",
    metric: (watched: Operable) => watched.metricDeadLetters({ period }),
    above: 0,
  },
  {
    kind: "waitingNotices",
    id: "WaitingNotices",
    tells: "Nobody looks at the notices. docs/runbook.md#alarm-waiting-notices",
    metric: (watched: Operable) => watched.metricOldestNotice({ period }),
    above: 600,
  },
  {
    kind: "functionErrors",
    id: "FunctionErrors",
    tells: "The function crashes or times out. docs/runbook.md#alarm-function-errors",
    metric: (watched: Operable) => watched.metricFunctionErrors({ period }),
    above: 0,
  },
] as const;

/** The alarms of a deployment; the description of each names its heading in the runbook. */
export class Alarms extends Construct {
  readonly alarms: readonly Alarm[];

  constructor(scope: Construct, id: string, { watched, actions = [], ...options }: AlarmsProps) {
    super(scope, id);
    const { clusterName } = watched.cluster;
    this.alarms = conditions
      .filter(({ kind }) => (options[kind] ?? "on") === "on")
      .map(({ id, tells, metric, above: threshold }) => {
        const alarm = new Alarm(this, id, {
          alarmDescription: `Nodes of EKS cluster ${clusterName}: ${tells}`,
          metric: metric(watched),
          threshold,
          comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
          evaluationPeriods: 1,
          treatMissingData: TreatMissingData.NOT_BREACHING, // an idle queue and function report nothing
        });
        alarm.addAlarmAction(...actions);
        return alarm;
      });
  }
}
