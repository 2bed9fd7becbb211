import { Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { environment, productName } from "../../lambda/base/contract.ts";
import type { GroupTag } from "../../lambda/base/ids.ts";
import type { FunctionPlace } from "../cluster-place.ts";
import { assertNamesFit } from "../limits/group-limits.ts";
import { arnPattern, type ManagedGroup, nameOf } from "../managed-group.ts";
import { explainWildcard } from "./explain-wildcard.ts";
import { functionCode } from "./function-code.ts";
import type { GroupTarget } from "./function-permissions.ts";
import {
  limited,
  type OptionalGrant,
  type Permission,
  type PermissionGrant,
  permissionsOf,
  portionsOf,
} from "./permission-grant.ts";
import { type FunctionOptions, QueueFunction } from "./queue-function.ts";
import type { WorkQueue } from "./work-queue.ts";

/** The groups, the queue, the network and the settings of a function that works on groups. */
export interface GroupFunctionProps extends FunctionOptions {
  readonly groups: readonly ManagedGroup[];
  /** A tag of other groups that the function may touch. @default only the groups above */
  readonly groupTag?: GroupTag;
  readonly queue: WorkQueue;
  readonly surroundings: FunctionPlace;
  /** The roles that instances of the groups have, by their ARNs. @default none */
  readonly nodeRoles?: readonly string[];
  /** The launch templates of the groups, by their ids. @default any template of the account */
  readonly launchTemplates?: readonly string[];
  /** The part of the environment that says how nodes are drained and launched. */
  readonly settings: Readonly<Record<string, string>>;
  /** The optional parts of this deployment. */
  readonly wanted: ReadonlySet<OptionalGrant>;
}

export interface GroupFunctionWork {
  /** The function is made of `lambda/<bundle>-handler.ts`. */
  readonly bundle: string;
  readonly description: string;
  readonly roleDescription: string;
  readonly grants: readonly PermissionGrant<GroupTarget>[];
}

const unknownId =
  "ids in ARNs of groups and access entries, the profiles and roles of nodes, and their load balancers are not known beforehand";

/** Creates a function that works on groups, in the cluster's network. */
export function groupFunction(
  scope: Construct,
  id: string,
  { bundle, grants, ...props }: GroupFunctionProps & GroupFunctionWork,
) {
  const targets = targetsOf(scope, props);
  const granted = grants
    .filter(({ wanted }) => wanted === undefined || props.wanted.has(wanted))
    .map((grant) =>
      limited(grant, { role: props.nodeRoles, template: targets["launch templates"] }),
    );
  const permissions = [
    ...permissionsOf(granted, targets),
    ...onBalancers(scope, granted, props),
    ...byTag(scope, granted, props.groupTag),
    ...onInstances(scope, granted, props),
  ];
  const made = new QueueFunction(scope, id, {
    ...props,
    code: functionCode(bundle),
    environment: environmentOf(scope, props),
    permissions,
  });
  for (const arn of new Set(permissions.flatMap(({ resources }) => resources)))
    if (arn.includes("*") && arn !== "*") explainWildcard(made.role, arn, unknownId);
  return made;
}

function environmentOf(
  scope: Construct,
  { groups, groupTag, queue, surroundings, settings }: GroupFunctionProps,
) {
  const tags = groupTag === undefined ? [] : [groupTag];
  const variables = {
    [environment.clusterName]: surroundings.cluster.clusterName,
    [environment.managedGroups]: Stack.of(scope).toJsonString([...groups.map(nameOf), ...tags]),
    ...settings,
  };
  const all = { ...queue.environment, ...variables };
  assertNamesFit(scope, groups, tags, all);
  return variables;
}

/**
 * The resources that a launch creates;
 * https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_LaunchTemplateTagSpecificationRequest.html
 */
const made = ["instance", "network-interface", "volume"];
/** The further resource of a Spot launch, for which EC2 knows no `ec2:LaunchTemplate`. */
const spotRequest = "spot-instances-request";
/** The resources that a group or its template may name for a launch, and that another account may share. */
const shared = ["capacity-reservation", "placement-group", "security-group", "subnet"];

function targetsOf(
  scope: Construct,
  { groups, surroundings, nodeRoles = [], launchTemplates = ["*"] }: GroupFunctionProps,
): Readonly<Record<GroupTarget, readonly string[]>> {
  const stack = Stack.of(scope);
  const { clusterName } = surroundings.cluster;
  const cluster = { service: "eks", resource: "cluster", resourceName: clusterName };
  const entries = { ...cluster, resource: "access-entry", resourceName: `${clusterName}/*` };
  const iam = { service: "iam", region: "", resourceName: "*" };
  const template = { service: "ec2", resource: "launch-template" };
  const templates = launchTemplates.map((resourceName) =>
    stack.formatArn({ ...template, resourceName }),
  );
  const ofEc2 = (account: string, ...types: readonly string[]) =>
    types.map((resource) =>
      stack.formatArn({ service: "ec2", account, resource, resourceName: "*" }),
    );
  const ssm = { service: "ssm", account: "", resource: "parameter" }; // AWS' own have no account
  return {
    any: ["*"],
    "access entries": [stack.formatArn(entries)],
    "classic load balancers": [], // known by their tags alone, not by ARNs
    cluster: [stack.formatArn(cluster)],
    "instance profiles": [stack.formatArn({ ...iam, resource: "instance-profile" })],
    "launch templates": templates,
    launched: [...templates, ...ofEc2(stack.account, ...made), ...ofEc2("*", ...shared)],
    "managed groups": groups.map((group) => arnPattern(group, stack)),
    "managed instances": [], // likewise
    "named by templates": [
      ...ofEc2("", "image", "snapshot"), // their ARNs have no account
      ...ofEc2(stack.account, "key-pair"),
    ],
    "node roles": nodeRoles,
    "public parameters": [stack.formatArn({ ...ssm, resourceName: "aws/service/*" })],
    "Spot requests": ofEc2(stack.account, spotRequest),
    "tagged at launch": ofEc2(stack.account, ...made, spotRequest),
    "target groups": [], // likewise
  };
}

/** Grants for managed groups also apply to every group with the tag. */
function byTag(
  scope: Construct,
  grants: readonly PermissionGrant<GroupTarget>[],
  tag: GroupTag | undefined,
): readonly Permission[] {
  if (tag === undefined) return [];
  // https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2autoscaling.html
  const tagged = { StringEquals: { [`autoscaling:ResourceTag/${tag.key}`]: [tag.value] } };
  const resources = [arnPattern("*", Stack.of(scope))];
  return grants
    .filter(({ on }) => on === "managed groups")
    .map(({ actions, given }) => ({ actions, resources, conditions: { ...given, ...tagged } }));
}

const balancers: Readonly<Partial<Record<GroupTarget, string>>> = {
  "classic load balancers": "loadbalancer",
  "target groups": "targetgroup",
};

/** The tag of the cluster's owner, and that of the AWS Load Balancer Controller. */
const balancerTags = [`${productName}/cluster`, "elbv2.k8s.aws/cluster"];

/** Grants for load balancers apply to those with a tag of the cluster. */
function onBalancers(
  scope: Construct,
  grants: readonly PermissionGrant<GroupTarget>[],
  { surroundings: { cluster } }: GroupFunctionProps,
): readonly Permission[] {
  const service = "elasticloadbalancing";
  return grants.flatMap(({ actions, on }) => {
    const { [on]: resource } = balancers;
    if (resource === undefined) return [];
    const resources = [Stack.of(scope).formatArn({ service, resource, resourceName: "*" })];
    return balancerTags.map((key) => {
      const conditions = { StringEquals: { [`aws:ResourceTag/${key}`]: [cluster.clusterName] } };
      return { actions, resources, conditions };
    });
  });
}

const namesGroup = "aws:ResourceTag/aws:autoscaling:groupName";

/**
 * Permissions on the instances of managed groups, by the tag that names their group: only Auto Scaling can write it.
 *
 * @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-tagging.html
 */
function onInstances(
  scope: Construct,
  grants: readonly PermissionGrant<GroupTarget>[],
  { groups, groupTag: tag }: GroupFunctionProps,
): readonly Permission[] {
  const resources = [
    Stack.of(scope).formatArn({ service: "ec2", resource: "instance", resourceName: "*" }),
  ];
  const named = portionsOf(groups.map(nameOf)).map((names) => ({
    StringEquals: { [namesGroup]: names },
  }));
  const tagged = tag && {
    StringEquals: { [`aws:ResourceTag/${tag.key}`]: [tag.value] },
    Null: { [namesGroup]: ["false"] },
  };
  return grants
    .filter(({ on }) => on === "managed instances")
    .flatMap(({ actions }) =>
      [...named, ...(tagged ? [tagged] : [])].map((conditions) => ({
        actions,
        resources,
        conditions,
      })),
    );
}
