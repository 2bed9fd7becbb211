import type { Metric, MetricOptions } from "aws-cdk-lib/aws-cloudwatch";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { ClusterConfig } from "../cluster-file/cluster-config-schema.ts";
import type { FunctionOptions } from "../function/queue-function.ts";
import type { AllOf } from "../merged.ts";
import * as tellers from "../own-tellers.ts";

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

/** What a subject that tells of drains adds to a deployment. */
interface TellerSubject {
  /** Its options by the file of a cluster. */
  propsIn(scope: Construct, config: ClusterConfig): TellerOptions;
  /** Its part of the node function's environment. */
  environmentIn(options: TellerOptions): Readonly<Record<string, string>>;
  deploy(scope: Construct, options: TellerOptions, place: TellerPlace): readonly Teller[];
}

export const tellerSubjects = Object.values<TellerSubject>(tellers);
