import { Stack } from "aws-cdk-lib";
import type { Construct } from "constructs";
import { environment } from "../../lambda/contract.ts";
import type { GroupTag } from "../../lambda/domain/ids.ts";
import type { Surroundings } from "../cluster-place.ts";
import { assertNamesFit } from "../limits/group-limits.ts";
import { arnPattern, type ManagedGroup, nameOf } from "../managed-group.ts";
import { explainWildcard } from "./explain-wildcard.ts";
import { functionCode } from "./function-code.ts";
import { type NodeTarget, nodePermissions } from "./function-permissions.ts";
import { type Permission, permissionsOf, toRoles, type Wanted } from "./permission-grant.ts";
import { type FunctionOptions, QueueFunction } from "./queue-function.ts";
import type { WorkQueue } from "./work-queue.ts";

/** The groups, the queue, the network and the settings of the node function. */
export interface NodeFunctionProps extends FunctionOptions {
  readonly groups: readonly ManagedGroup[];
  /** A tag of other groups that the function may touch. @default only the groups above */
  readonly groupTag?: GroupTag;
  readonly queue: WorkQueue;
  readonly surroundings: Surroundings;
  /** The roles that instances of the groups have, by their ARNs. @default any role of the account */
  readonly nodeRoles?: readonly string[];
  /** The part of the environment that says how nodes are drained and launched. */
  readonly settings: Readonly<Record<string, string>>;
  /** What this deployment does that not every deployment does. */
  readonly wanted: ReadonlySet<Wanted>;
}

const unknownId =
  "ids in ARNs of groups and access entries, the profiles and roles of nodes, and their load balancers are not known beforehand";

/** Creates the function that works on notices, in the cluster's network. */
export function nodeFunction(scope: Construct, id: string, props: NodeFunctionProps) {
  const { clusterName } = props.surroundings.cluster;
  const granted = nodePermissions
    .filter(({ wanted }) => wanted === undefined || props.wanted.has(wanted))
    .map((grant) => toRoles(grant, props.nodeRoles));
  const permissions = [
    ...permissionsOf(granted, targetsOf(scope, props)),
    ...byTag(scope, props.groupTag),
  ];
  const made = new QueueFunction(scope, id, {
    ...props,
    code: functionCode("node"),
    description: `Drains and registers nodes of cluster ${clusterName}`,
    roleDescription: "Drains and registers the nodes of the managed groups",
    environment: environmentOf(scope, props),
    permissions,
  });
  for (const arn of new Set(permissions.flatMap(({ resources }) => resources)))
    if (arn.includes("*") && arn !== "*") explainWildcard(made.role, arn, unknownId);
  return made;
}

function environmentOf(
  scope: Construct,
  { groups, groupTag, queue, surroundings, settings }: NodeFunctionProps,
) {
  const tags = groupTag === undefined ? [] : [groupTag];
  const variables = {
    [environment.clusterName]: surroundings.cluster.clusterName,
    [environment.managedGroups]: Stack.of(scope).toJsonString([...groups.map(nameOf), ...tags]),
    ...settings,
  };
  const all = { ...queue.environment, ...variables };
  assertNamesFit(scope, { groups, tags, variables: all });
  return variables;
}

function targetsOf(
  scope: Construct,
  { groups, surroundings, nodeRoles }: NodeFunctionProps,
): Readonly<Record<NodeTarget, readonly string[]>> {
  const stack = Stack.of(scope);
  const { clusterName } = surroundings.cluster;
  const cluster = { service: "eks", resource: "cluster", resourceName: clusterName };
  const entries = { ...cluster, resource: "access-entry", resourceName: `${clusterName}/*` };
  const balancing = { service: "elasticloadbalancing", resourceName: "*" };
  const iam = { service: "iam", region: "", resourceName: "*" };
  return {
    any: ["*"],
    "access entries": [stack.formatArn(entries)],
    "classic load balancers": [stack.formatArn({ ...balancing, resource: "loadbalancer" })],
    cluster: [stack.formatArn(cluster)],
    "instance profiles": [stack.formatArn({ ...iam, resource: "instance-profile" })],
    "managed groups": groups.map((group) => arnPattern(group, stack)),
    "node roles": nodeRoles ?? [stack.formatArn({ ...iam, resource: "role" })],
    "target groups": [stack.formatArn({ ...balancing, resource: "targetgroup" })],
  };
}

/** What the function may do with managed groups, it may do with every group that has the tag. */
function byTag(scope: Construct, tag: GroupTag | undefined): readonly Permission[] {
  if (tag === undefined) return [];
  // https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonec2autoscaling.html
  const conditions = { StringEquals: { [`autoscaling:ResourceTag/${tag.key}`]: [tag.value] } };
  const resources = [arnPattern("*", Stack.of(scope))];
  return nodePermissions
    .filter(({ on }) => on === "managed groups")
    .map(({ actions }) => ({ actions, resources, conditions }));
}
