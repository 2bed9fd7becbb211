import {
  Alarm,
  ComparisonOperator,
  type Metric,
  TreatMissingData,
} from "aws-cdk-lib/aws-cloudwatch";
import { Construct } from "constructs";
import type { Operable } from "../operable.ts";
import type { Repairs } from "../repair/repairs.ts";
import type { Upgrades } from "../upgrade/upgrades.ts";
import type { AlarmCondition } from "./alarm-condition.ts";
import type { AlarmOptions } from "./alarm-options.ts";
import { nodeConditions } from "./node-conditions.ts";
import { repairConditions, upgradeConditions } from "./other-conditions.ts";

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
    return new Alarm(this, id, {
      alarmDescription: `Nodes of EKS cluster ${clusterName}: ${tells}`,
      ...measure,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      treatMissingData: TreatMissingData.NOT_BREACHING, // an idle queue, function and journal report nothing
    });
  }
}
