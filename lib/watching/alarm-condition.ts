import { Duration } from "aws-cdk-lib";
import type { Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { AlarmOptions } from "./alarm-options.ts";

/** When an alarm goes off, and its description. */
export interface AlarmCondition {
  readonly kind: Exclude<keyof AlarmOptions, "actions">;
  readonly id: string;
  /** A sentence for the description. The id gives the words of the heading in the runbook. */
  readonly tells: string;
  readonly metric: Metric;
  readonly above: number;
  readonly periods: number;
}

/** The period that alarms count in. */
export const period = Duration.minutes(5);

/** Goes off for a single data point above zero. */
const any = { above: 0, periods: 1 } as const;

export const condition = (
  kind: AlarmCondition["kind"],
  tells: string,
  metric: Metric,
  { above, periods }: Pick<AlarmCondition, "above" | "periods"> = any,
): AlarmCondition => ({
  kind,
  id: kind.charAt(0).toUpperCase() + kind.slice(1),
  tells,
  metric,
  above,
  periods,
});
