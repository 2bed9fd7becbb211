import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { EC2Client } from "@aws-sdk/client-ec2";
import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { ask } from "../../lambda/aws/aws-fault.ts";
import { Ec2Instances } from "../../lambda/aws/ec2-instances.ts";
import { FullAutoScalingGroups } from "../../lambda/aws/full-auto-scaling-groups.ts";
import { Ec2LaunchTemplates } from "../../lambda/aws/upgrade/ec2-launch-templates.ts";
import { groupName } from "../../lambda/base/ids.ts";
import { hours, type Instant, instant } from "../../lambda/base/time.ts";
import { drainPolicyIn } from "../../lambda/config/policies.ts";
import type { DrainSettings } from "../../lambda/drain/drain-policy.ts";
import type { MachineNode } from "../../lambda/drain/node.ts";
import { isManaged } from "../../lambda/group/managed-group.ts";
import type { ScalingGroup } from "../../lambda/group/scaling-group.ts";
import { KubeGroupNodes } from "../../lambda/kubernetes/kube-group-nodes.ts";
import type { TargetVersions } from "../../lambda/upgrade/old-instances.ts";
import type { SetupFacts } from "../../lambda/upgrade/setup.ts";
import {
  type UpgradeCommand,
  type UpgradeTarget,
  upgradeMessage,
} from "../../lambda/upgrade/upgrade-message.ts";
import { CommandFailure } from "../command-failure.ts";
import { type AwsAccess, awsAt } from "../connect/aws-access.ts";
import { type ClusterAccess, clusterAt } from "../connect/cluster-access.ts";
import type { ConnectionOptions } from "../connect/connection-options.ts";
import { type DeploymentParts, deploymentAt } from "../connect/deployment-at.ts";
import type { Found } from "../connect/found.ts";
import { ClusterLook } from "../status/cluster-look.ts";
import { entriesIn } from "../status/last-entries.ts";
import { upgradeReport } from "./upgrade-report.ts";
import type { UpgradeReport } from "./upgrade-schema.ts";

/** The cluster of the groups, and how to reach it. */
export interface UpgradeSiteOptions extends ConnectionOptions {
  readonly cluster: string;
}

/** Where groups are upgraded: their Auto Scaling groups, their nodes, and the queue of the upgrade function. */
export class UpgradeSite {
  readonly cluster: string;
  readonly access: ClusterAccess;
  readonly groups: FullAutoScalingGroups;
  readonly #place: UpgradeSiteOptions;
  readonly #templates: Ec2LaunchTemplates;
  readonly #nodes: KubeGroupNodes;
  readonly #parts: DeploymentParts;

  private constructor(place: UpgradeSiteOptions, access: ClusterAccess, parts: DeploymentParts) {
    const aws = awsAt(place);
    this.#place = place;
    this.cluster = place.cluster;
    this.access = access;
    this.#parts = parts;
    this.groups = new FullAutoScalingGroups(new AutoScalingClient(aws));
    const ec2 = new EC2Client(aws);
    this.#templates = new Ec2LaunchTemplates(ec2);
    this.#nodes = new KubeGroupNodes(access.client, new Ec2Instances(ec2));
  }

  static async open(place: UpgradeSiteOptions): Promise<UpgradeSite> {
    const parts = await deploymentAt(place.cluster, awsAt(place), place);
    return new UpgradeSite(place, await clusterAt(place.cluster, place), parts);
  }

  close(): Promise<void> {
    return this.access.close();
  }

  /** True if the deployment manages the group, or if that cannot be read: the function checks it too. */
  manages({ name, tags }: ScalingGroup): boolean {
    const { config } = this.#parts;
    return config.kind === "unknown" || isManaged(config.value.drain.managed, name, tags);
  }

  async group(name: string): Promise<ScalingGroup> {
    const group = await this.groups.withPool(groupName(name));
    if (group !== "absent") return group;
    throw new CommandFailure(
      `Auto Scaling has no group ${name} in this account and Region`,
      "name a group by its full name, or another Region (--region)",
    );
  }

  nodesOf({ instances }: ScalingGroup): Promise<readonly MachineNode[]> {
    return this.#nodes.nodesOf(instances.map(({ id }) => id));
  }

  /** The facts that the upgrade function would check before it begins. */
  async setupFacts(group: ScalingGroup, to: UpgradeTarget): Promise<SetupFacts> {
    const [nodes, refresh, server] = await Promise.all([
      this.nodesOf(group),
      this.groups.refresh(group.name),
      this.#nodes.version(),
    ]);
    return { group, nodes, refresh, to, server };
  }

  settingsOf({ tags }: ScalingGroup): DrainSettings {
    const { config } = this.#parts;
    const policy = config.kind === "known" ? config.value.drain : drainPolicyIn({}, []);
    return policy.settingsFor(tags).settings;
  }

  /** The versions that the group would launch by after its upgrade; `all new` if that version does not exist yet. */
  async targetsFor(group: ScalingGroup, to: UpgradeTarget): Promise<TargetVersions | "all new"> {
    const { source } = group;
    if (to.kind === "image" || to.kind === "parameter") return "all new";
    if (source.kind === "configuration") return [];
    const { template, version } = source.template;
    const named = { template, version: to.kind === "version" ? to.version : version };
    const found = await this.#templates.version(named);
    if (found !== "absent") return [found, ...(await this.#overridesOf(group))];
    throw new CommandFailure(
      `Ec2LaunchTemplateVersionMismatch: launch template ${template} has no version ${named.version}`,
      "name one of its versions: aws ec2 describe-launch-template-versions lists them",
    );
  }

  /** Reads the state of a group's upgrade, and the remaining pods on nodes that are drained. */
  async look(name: string): Promise<UpgradeReport> {
    const group = await this.group(name);
    const nodes = await this.nodesOf(group);
    const now = this.access.clock.now();
    const overrides = await this.#overridesOf(group);
    const report = upgradeReport({ cluster: this.cluster, group, nodes, overrides, now });
    const look = new ClusterLook(this.access, "all", now);
    const settings = this.settingsOf(group);
    const leftOn = async ({ state, node: its }: UpgradeReport["nodes"][number]) => {
      const node = nodes.find(({ name: one }) => one === its);
      if (state !== "draining" || node === undefined) return [];
      return look.leftOn(node, settings, new Map());
    };
    const withPods = report.nodes.map(async (node) => {
      const pods = await leftOn(node);
      return { ...node, pods, left: pods.map(({ pod, reason }) => `${pod}: ${reason}`) };
    });
    return { ...report, nodes: await Promise.all(withPods) };
  }

  /** Why the upgrade function refused to begin an upgrade; empty if it did not, or its log cannot be read. */
  refusalOf(id: string): Promise<readonly string[]> {
    const log = this.#parts.output("UpgradeLogGroupName");
    return refusalIn(log, { id, now: this.access.clock.now() }, awsAt(this.#place));
  }

  /** Sends a command to the upgrade function, and returns the id of the message. */
  async send(command: UpgradeCommand): Promise<string> {
    const QueueUrl = this.#queueUrl();
    const MessageBody = upgradeMessage(command);
    const sqs = new SQSClient(awsAt(this.#place));
    const { MessageId: id = "" } = await ask(`sending to ${QueueUrl}`, () =>
      sqs.send(new SendMessageCommand({ QueueUrl, MessageBody })),
    );
    return id;
  }

  #queueUrl(): string {
    if (this.#place.queueUrl !== undefined) return this.#place.queueUrl;
    const found = this.#parts.output("UpgradeQueueUrl");
    if (found.kind === "known") return found.value;
    throw new CommandFailure(
      found.why,
      `${found.remedy}; a deployment has upgrades only with "upgrades": "on" in its cluster's file`,
    );
  }

  async #overridesOf({ source }: ScalingGroup): Promise<TargetVersions> {
    if (source.kind !== "mixed") return [];
    const found = source.overrides.map((one) => this.#templates.version(one));
    return (await Promise.all(found)).flatMap((one) => (one === "absent" ? [] : [one]));
  }
}

/** The AWS actions that `upgrade` needs; the construct's `grantUpgrade` allows them. */
export const upgradeActions: readonly string[] = [
  "arc-zonal-shift:ListZonalShifts",
  "autoscaling:DescribeAutoScalingGroups",
  "autoscaling:DescribeAutoScalingInstances",
  "autoscaling:DescribeInstanceRefreshes",
  "autoscaling:DescribeWarmPool",
  "cloudformation:DescribeStacks",
  "ec2:DescribeInstances",
  "ec2:DescribeLaunchTemplateVersions",
  "eks:DescribeCluster",
  "lambda:GetFunctionConfiguration",
  "logs:FilterLogEvents",
  "sqs:SendMessage",
];

/** Why the upgrade function refused to begin an upgrade, according to its log of the last hour; empty if it did not. */
async function refusalIn(
  logGroup: Found<string>,
  { id, now }: { readonly id: string; readonly now: Instant },
  aws: AwsAccess,
): Promise<readonly string[]> {
  const found = await entriesIn(logGroup, aws, `"${id}"`, instant(now - hours(1)));
  if (found.kind === "unknown") return [];
  const [reasons = []] = found.value.entries.flatMap((entry) =>
    entry.kind === "upgrade-answered" &&
    entry.upgrade === id &&
    entry.command === "start" &&
    entry.end.kind === "refused"
      ? [entry.end.reasons]
      : [],
  );
  return reasons;
}
