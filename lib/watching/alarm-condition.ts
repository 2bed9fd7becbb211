import { Duration } from "aws-cdk-lib";
import type { Metric } from "aws-cdk-lib/aws-cloudwatch";
import type { AlarmOptions } from "./alarm-options.ts";

/** When an alarm about something goes off, and what it tells. */
export interface AlarmCondition<Watched> {
  readonly kind: Exclude<keyof AlarmOptions, "actions">;
  readonly id: string;
  readonly tells: string;
  /** `undefined` where the deployment has nothing of that kind. */
  metric(watched: Watched): Metric | undefined;
  above(watched: Watched): number;
  readonly periods: number;
}

/** The period that alarms count in. */
export const period = Duration.minutes(5);
/** Goes off for whatever is more than none. */
export const none = () => 0;
/** Any at all, in a single period. */
export const any = { above: none, periods: 1 } as const;
/** Some in each period of a quarter of an hour. */
export const lasting = { above: none, periods: 3 } as const;
