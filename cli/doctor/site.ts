import {
  CloudFormationClient,
  paginateListStackResources,
  type StackResourceSummary,
} from "@aws-sdk/client-cloudformation";
import { type Cluster, DescribeClusterCommand, EKSClient } from "@aws-sdk/client-eks";
import type { FunctionConfiguration } from "@aws-sdk/client-lambda";
import type { Instant } from "../../lambda/base/time.ts";
import { isManaged } from "../../lambda/group/managed-group.ts";
import type { ScalingGroup } from "../../lambda/group/scaling-group.ts";
import { type AwsAccess, allOf } from "../connect/aws-access.ts";
import type { ClusterAccess } from "../connect/cluster-access.ts";
import { type DeploymentParts, functionOf } from "../connect/deployment-at.ts";
import { type Found, mapped, readFrom } from "../connect/found.ts";
import { allGroups, isSelfManagedOf } from "../connect/groups-at.ts";
import type { SettingInFile } from "../status/setting-schema.ts";
import { type Present, readOn, readPresent } from "./reading.ts";
import { type TimedAnswers, timedAnswers } from "./timed-answers.ts";
import type { LinkVerdict } from "./verdict.ts";

export interface ClusterReach {
  /** The name of the cluster. */
  readonly name: string;
  readonly region: string;
  /** The time of the check. */
  readonly now: Instant;
  readonly aws: AwsAccess;
  readonly access: ClusterAccess;
  readonly parts: DeploymentParts;
  /** The settings in the files of `clusters/`. */
  readonly settings: readonly SettingInFile[];
}

/** A cluster and its deployment, with what several checks need. */
export interface ExaminedSite extends ClusterReach {
  readonly cluster: Found<Present<Cluster>>;
  /** The groups that the deployment manages. */
  readonly groups: Found<readonly ScalingGroup[]>;
  /** Those that have the tag of the cluster, and that nobody manages. */
  readonly otherGroups: Found<readonly ScalingGroup[]>;
  readonly resources: Found<readonly PartOfStack[]>;
  readonly upgradeFunction: Found<FunctionConfiguration>;
  readonly repairFunction: Found<FunctionConfiguration>;
  /** The measured answers of the API server; this may take half a minute. */
  readonly answers: Promise<Found<TimedAnswers>>;
}

/** A resource that the construct creates. */
export interface PartOfStack {
  /** Its logical id within the construct, such as `AlarmsFaults521C70EA`. */
  readonly id: string;
  readonly type: string;
  /** Its physical id. */
  readonly name: string;
}

/** The check of a link, and what it needs of a site. */
export type Check<Needs extends keyof ExaminedSite = keyof ExaminedSite> = (
  site: Pick<ExaminedSite, Needs>,
) => Promise<Found<LinkVerdict>>;

/** Reads what several checks need. */
export async function siteAt(reach: ClusterReach): Promise<ExaminedSite> {
  const { name, aws, parts } = reach;
  const answers = timedAnswers(reach.access);
  const [cluster, all, resources, upgradeFunction, repairFunction] = await Promise.all([
    readPresent(`describing cluster ${name}`, "eks:DescribeCluster", () => clusterOf(name, aws)),
    readOn(parts.config, () =>
      readFrom("describing the groups", "autoscaling:DescribeAutoScalingGroups", () =>
        allGroups(aws),
      ),
    ),
    stackParts(parts, aws),
    functionOf(parts.output("UpgradeFunctionName"), aws),
    functionOf(parts.output("RepairFunctionName"), aws),
  ]);
  const isOurs = ({ name: group, tags }: ScalingGroup) =>
    parts.config.kind === "known" && isManaged(parts.config.value.drain.managed, group, tags);
  const groups = mapped(all, (every) => every.filter(isOurs));
  const otherGroups = mapped(all, (every) =>
    every.filter((group) => !isOurs(group) && isSelfManagedOf(name, group)),
  );
  const functions = { upgradeFunction, repairFunction };
  return { ...reach, ...functions, answers, cluster, groups, otherGroups, resources };
}

/** The resources that the construct has created in the stack. */
export const stackParts = (
  parts: DeploymentParts,
  aws: AwsAccess,
): Promise<Found<readonly PartOfStack[]>> =>
  readOn(parts.output("FunctionName"), (functionName) =>
    readFrom(`listing stack ${parts.stack}`, "cloudformation:ListStackResources", async () =>
      inConstruct(await resourcesOf(parts.stack, aws), functionName),
    ),
  );

async function clusterOf(name: string, aws: AwsAccess): Promise<Cluster> {
  const { cluster = {} } = await new EKSClient(aws).send(new DescribeClusterCommand({ name }));
  return cluster;
}

const resourcesOf = (StackName: string, aws: AwsAccess) =>
  allOf(
    paginateListStackResources({ client: new CloudFormationClient(aws) }, { StackName }),
    ({ StackResourceSummaries: found }) => found,
  );

/** The resources of the construct with the function. The stack of an app may have many others. */
function inConstruct(
  resources: readonly StackResourceSummary[],
  functionName: string,
): readonly PartOfStack[] {
  const [plain] = functionName.split(":"); // without an alias
  const { LogicalResourceId: id = "" } =
    resources.find(({ PhysicalResourceId: name }) => name === plain) ?? {};
  const construct = id.replace(/NodeFunction[0-9A-F]{8}$/, "");
  return resources
    .filter(({ LogicalResourceId: its = "" }) => its.startsWith(construct))
    .map(({ LogicalResourceId: its = "", ResourceType = "", PhysicalResourceId = "" }) => ({
      id: its.slice(construct.length),
      type: ResourceType,
      name: PhysicalResourceId,
    }));
}

/** The names of the resources in a part of the construct, such as `Alarms`. */
export const resourcesIn = (
  resources: readonly PartOfStack[],
  part: string,
  wanted: string,
): readonly string[] =>
  resources
    .filter(({ id, type }) => type === wanted && id.startsWith(part))
    .map(({ name }) => name);

/** True if the deployment holds launching instances. With the template for any cluster, a function creates the hooks. */
export const holdsLaunches = ({ resources }: Pick<ExaminedSite, "resources">): boolean =>
  resources.kind === "known" &&
  [
    ...resourcesIn(resources.value, "HooksLaunch", "AWS::AutoScaling::LifecycleHook"),
    ...resourcesIn(resources.value, "HooksAsked", "Custom::EksNodeLifecycleHooks"),
  ].length > 0;
