import { Annotations, CfnOutput, Duration, Stack, Tags } from "aws-cdk-lib";
import { SnsAction } from "aws-cdk-lib/aws-cloudwatch-actions";
import { type IPeer, Peer, SecurityGroup, Subnet, Vpc } from "aws-cdk-lib/aws-ec2";
import { Key } from "aws-cdk-lib/aws-kms";
import { Architecture, Tracing } from "aws-cdk-lib/aws-lambda";
import { Topic } from "aws-cdk-lib/aws-sns";
import type { Construct } from "constructs";
import { nodeSettings } from "../lambda/config/settings.ts";
import { rangeOf } from "./cluster-file/addresses.ts";
import type { ClusterConfig } from "./cluster-file/cluster-config-schema.ts";
import type { FunctionOptions } from "./function/queue-function.ts";
import { merged } from "./merged.ts";
import { NodeLifecycle } from "./node-lifecycle.ts";
import type { HookOptions } from "./notice/lifecycle-hooks.ts";
import { optionsIn } from "./options/options.ts";
import { plainTemplate } from "./plain-template.ts";
import { regionKeyArn } from "./region-key.ts";
import { stackName } from "./stack-name.ts";
import * as subjects from "./subjects.ts";
import type { AlarmOptions } from "./watching/alarm-options.ts";
import { notifierSubjects } from "./watching/notifier.ts";

/** The peer for an address, a range of addresses, or a security group. */
function peerOf(text: string): IPeer {
  if (text.startsWith("sg-")) return Peer.securityGroupId(text);
  return text.includes(":") ? Peer.ipv6(rangeOf(text)) : Peer.ipv4(rangeOf(text));
}

/** The file of a cluster, and how the hooks are made. */
export interface StackConfig extends ClusterConfig {
  /** @default "resource" */
  readonly hooksMadeAs?: HookOptions["madeAs"];
}

const architectures = { arm64: Architecture.ARM_64, x86_64: Architecture.X86_64 };

/** The stack of one cluster, made from its file in `clusters/`. */
export class NodeLifecycleStack extends Stack {
  readonly lifecycle: NodeLifecycle;

  constructor(scope: Construct, id: string, config: StackConfig) {
    const { account, region, name } = config.cluster;
    super(scope, id, {
      stackName: stackName(name),
      description: `Drains and registers nodes of EKS cluster ${name}`,
      env: { region, ...(account === undefined ? {} : { account }) },
      analyticsReporting: false,
      ...plainTemplate(scope),
    });
    for (const [key, value] of Object.entries(config.tags)) Tags.of(this).add(key, value);
    this.lifecycle = new NodeLifecycle(this, "NodeLifecycle", {
      ...this.#place(config),
      ...this.#key(config),
      groups: config.groups,
      ...(config.groupTag && { groupTag: config.groupTag }),
      drain: optionsIn(nodeSettings.drain, config.drain),
      launch: optionsIn(nodeSettings.launch, config.launch),
      ...namedIn(config),
      rights: config.rights,
      apiPriority: config.apiPriority,
      ...merged(Object.values(subjects).map(({ propsIn }) => propsIn(config))),
      hooks: hooksOf(config),
      events: { ...config.events, ...optionsIn(nodeSettings.events, config.events) },
      reports: optionsIn(nodeSettings.reports, config.reports),
      queue: {
        visibility: Duration.seconds(config.queue.visibilitySeconds),
        receives: config.queue.receives,
      },
      function: functionOf(config),
      alarms: this.#alarms(config),
      ...merged(notifierSubjects.map((one) => one.propsIn(this, config))),
      dashboard: config.dashboard === "on" ? "on" : "off",
      savedQueries: config.savedQueries,
      privateEndpoints: config.privateEndpoints,
      privateEndpointsAdmit: config.privateEndpointsAdmit.map(peerOf),
      ...(config.httpsTo && { httpsTo: config.httpsTo.map(peerOf) }),
      dnsServers: config.dnsServers.map(peerOf),
    });
    // The stack has one of each, so that people can ask for them by a name without a hash.
    for (const output of this.node.findAll())
      if (output instanceof CfnOutput) output.overrideLogicalId(output.node.id);
  }

  #place({ cluster, function: { securityGroupIds: functionGroups } }: ClusterConfig) {
    const { vpcId, subnetIds, securityGroupId } = cluster;
    // CDK does not use the zones, because the subnets are given by id.
    const vpc = Vpc.fromVpcAttributes(this, "Vpc", { vpcId, availabilityZones: ["unknown"] });
    const subnets = subnetIds.map((id) => Subnet.fromSubnetId(this, id, id));
    const unneeded = "the route tables of these subnets are of no interest";
    Annotations.of(this).acknowledgeWarning("@aws-cdk/aws-ec2:noSubnetRouteTableId", unneeded);
    return {
      cluster: {
        clusterName: cluster.name,
        vpc,
        clusterSecurityGroup: SecurityGroup.fromSecurityGroupId(this, "Cluster", securityGroupId),
      },
      authenticationMode: cluster.authenticationMode,
      subnets: { subnets },
      securityGroups: (functionGroups ?? []).map((id) =>
        SecurityGroup.fromSecurityGroupId(this, id, id, { mutable: false }),
      ),
    };
  }

  #alarms({ alarms: { topicArns, ...alarms } }: ClusterConfig): AlarmOptions {
    const topics = topicArns.map((arn) => Topic.fromTopicArn(this, arn.replaceAll(":", "-"), arn));
    return { ...alarms, actions: topics.map((topic) => new SnsAction(topic)) };
  }

  #key({ encryptionKey, encryptionKeyArn }: ClusterConfig) {
    const arn = encryptionKey === "region" ? regionKeyArn() : encryptionKeyArn;
    return arn === undefined ? {} : { encryptionKey: Key.fromKeyArn(this, "EncryptionKey", arn) };
  }
}

function functionOf({ function: its }: ClusterConfig): FunctionOptions {
  const { reservedConcurrency } = its;
  return {
    memory: its.memoryMegabytes,
    concurrency: its.concurrency,
    ...(reservedConcurrency !== undefined && { reservedConcurrency }),
    logRetention: its.logRetentionDays,
    architecture: architectures[its.architecture],
    tracing: its.tracing === "on" ? Tracing.ACTIVE : Tracing.DISABLED,
  };
}

function hooksOf({ hooks, hooksMadeAs: madeAs = "resource" }: StackConfig): HookOptions {
  const { heartbeatSeconds: _, ...others } = hooks;
  return { ...others, ...optionsIn(nodeSettings.hooks, hooks), madeAs };
}

/** The roles and launch templates that a file names. */
const namedIn = ({ nodeRoleArns, launchTemplateIds }: ClusterConfig) => ({
  ...(nodeRoleArns && { nodeRoles: nodeRoleArns }),
  ...(launchTemplateIds && { launchTemplates: launchTemplateIds }),
});
