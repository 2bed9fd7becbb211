import type { Metric, MetricOptions } from "aws-cdk-lib/aws-cloudwatch";
import type { ILogGroup } from "aws-cdk-lib/aws-logs";
import type { Construct } from "constructs";
import type { ClusterConfig } from "../cluster-file/cluster-config-schema.ts";
import type { FunctionOptions } from "../function/queue-function.ts";
import type { AllOf } from "../merged.ts";
import * as notifiers from "../own-notifiers.ts";

/** Tells people of drains. */
export interface Notifier {
  /** The number of batches of news that were dropped. */
  metricLost(props?: MetricOptions): Metric;
}

/** The journal that has the news, and how functions run. */
export interface NotifierPlace
  extends Pick<FunctionOptions, "architecture" | "logRetention" | "tracing"> {
  readonly clusterName: string;
  readonly journal: ILogGroup;
}

type Listed = (typeof notifiers)[keyof typeof notifiers];

/** The options of a deployment that say who is notified. */
export type NotifierOptions = AllOf<Parameters<Listed["deploy"]>[1]>;

/** A subject that reports drains, in a deployment. */
interface NotifierSubject {
  /** Its options by the file of a cluster. */
  propsIn(scope: Construct, config: ClusterConfig): NotifierOptions;
  /** Its part of the node function's environment. */
  environmentIn(options: NotifierOptions): Readonly<Record<string, string>>;
  deploy(scope: Construct, options: NotifierOptions, place: NotifierPlace): readonly Notifier[];
}

export const notifierSubjects = Object.values<NotifierSubject>(notifiers);
