import type { Metric, MetricOptions } from "aws-cdk-lib/aws-cloudwatch";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import type { FunctionOptions } from "../function/queue-function.ts";
import type { AllOf } from "../merged.ts";
import type * as tellers from "../own-tellers.ts";

/** Tells people of drains. */
export interface Teller {
  /** The number of batches of news that were dropped. */
  metricLost(props?: MetricOptions): Metric;
}

/** The journal that has the news, and how functions run. */
export interface TellerPlace
  extends Pick<FunctionOptions, "architecture" | "logRetention" | "tracing"> {
  readonly clusterName: string;
  readonly journal: ILogGroup;
}

type Listed = (typeof tellers)[keyof typeof tellers];

/** The options of a deployment that say who is told. */
export type TellerOptions = AllOf<Parameters<Listed["deploy"]>[1]>;
