import { App } from "aws-cdk-lib";
import { Template } from "aws-cdk-lib/assertions";
import type { ClusterConfig } from "../../lib/cluster-file/cluster-config-schema.ts";
import { readClusterConfig } from "../../lib/cluster-file/read-cluster-config.ts";
import { NodeLifecycleStack } from "../../lib/node-lifecycle-stack.ts";
import { evictingSample } from "../support/evicting-sample.ts";

/** The configuration of the sample cluster, which evicts here. */
export const sample: ClusterConfig = readClusterConfig(
  JSON.stringify(evictingSample),
  "sample.json",
);

/** A webhook, as a cluster's file names it. */
export const sampleWebhook = {
  secretArn: `arn:aws:secretsmanager:${sample.cluster.region}:123456789012:secret:drains-a1B2c3`,
  format: "slack",
} as const;

/** The template of the sample cluster's stack, with something changed in its configuration. */
export function synthesised(change: Partial<ClusterConfig> = {}): Template {
  const stack = new NodeLifecycleStack(new App(), "Sample", { ...sample, ...change });
  return Template.fromStack(stack);
}

/** A resource of a template. */
export interface Resource {
  readonly Type: string;
  readonly Properties: Readonly<Record<string, unknown>> & {
    readonly AutoScalingGroupName?: unknown;
    readonly AwsAuth?: unknown;
    readonly Deployer?: unknown;
    readonly AssumeRolePolicyDocument?: unknown;
    readonly Code?: unknown;
    readonly DashboardBody?: unknown;
    readonly EventPattern?: unknown;
    readonly ManagedPolicyArns?: unknown;
    readonly MetricName?: unknown;
    readonly MetricTransformations?: unknown;
    readonly FilterPattern?: unknown;
    readonly GroupId?: unknown;
    readonly LogGroupNames?: unknown;
    readonly Environment?: unknown;
    readonly Force?: unknown;
    readonly Name?: unknown;
    readonly NodeRoles?: unknown;
    readonly OwnTaint?: unknown;
    readonly PolicyDocument?: unknown;
    readonly AlarmDescription?: unknown;
    readonly RetentionInDays?: unknown;
    readonly Roles?: unknown;
    readonly Threshold?: unknown;
    readonly ServiceTimeout?: unknown;
    readonly VpcConfig?: unknown;
  };
  readonly DependsOn?: readonly string[];
}

/** Every resource of a template, by its logical id. */
export function resourcesOf(template: Template): Readonly<Record<string, Resource>> {
  type Listed = Readonly<Record<string, Omit<Resource, "Properties">>>;
  const { Resources } = template.toJSON() as { Resources: Listed };
  const complete = Object.entries(Resources).map(
    ([id, resource]) => [id, { Properties: {}, ...resource }] as const,
  );
  return Object.fromEntries(complete);
}
