import { nodeEntryTypes } from "../../lambda/base/contract.ts";
import { describes, forCalls, forPlatform, type PermissionGrant } from "./permission-grant.ts";
import {
  networkPermissions,
  type QueueTarget,
  queuePermissions,
  tracingPermissions,
} from "./queue-permissions.ts";

/** The resources of the node function's own permissions. */
export type NodeTarget =
  | "any"
  | "access entries"
  | "classic load balancers"
  | "cluster"
  | "instance profiles"
  | "managed groups"
  | "node roles"
  | "target groups";

/** The resources of a function that works on groups. */
export type GroupTarget =
  | NodeTarget
  | "launch templates"
  | "launched"
  | "managed instances"
  | "named by templates"
  | "public parameters"
  | "Spot requests"
  | "tagged at launch";

/** The services that the role of a node may be passed to. The second one is the name in China. */
export const passedTo = ["ec2.amazonaws.com", "ec2.amazonaws.com.cn"];
const entryTypes = Object.values(nodeEntryTypes);

/** The permissions of the node function besides those of every queue's function. */
export const nodePermissions: readonly PermissionGrant<NodeTarget>[] = [
  describes(
    ["autoscaling:DescribeAutoScalingInstances"],
    "ask whether a notice is true: which group an instance is in, and in which state",
  ),
  describes(
    ["autoscaling:DescribeAutoScalingGroups"],
    "find the peers that are about to go too, and a group's own settings",
  ),
  describes(["autoscaling:DescribeLifecycleHooks"], "learn how long a hook waits for a heartbeat"),
  forCalls(
    "managed groups",
    ["autoscaling:RecordLifecycleActionHeartbeat", "autoscaling:CompleteLifecycleAction"],
    "hold an instance while its node is drained, then release it",
  ),
  describes(["ec2:DescribeInstances"], "learn the name that an instance's node has"),
  describes(
    ["ec2:DescribeInstanceStatus"],
    "ask whether EC2 has scheduled the work that AWS Health announces",
  ),
  describes(
    ["ec2:DescribeCapacityReservations"],
    "ask when a Capacity Block ends, before its instances are drained",
  ),
  describes(
    [
      "elasticloadbalancing:DescribeTargetGroups",
      "elasticloadbalancing:DescribeTargetHealth",
      "elasticloadbalancing:DescribeTargetGroupAttributes",
      "elasticloadbalancing:DescribeLoadBalancers",
      "elasticloadbalancing:DescribeInstanceHealth",
      "elasticloadbalancing:DescribeLoadBalancerAttributes",
    ],
    "wait until no load balancer sends requests to an instance",
  ),
  forCalls(
    "target groups",
    ["elasticloadbalancing:DeregisterTargets"],
    "take an instance out of a target group if nobody else does, where `deregister` says so; if one of its tags says that it is the cluster's",
    { wanted: "deregistration" },
  ),
  forCalls(
    "classic load balancers",
    ["elasticloadbalancing:DeregisterInstancesFromLoadBalancer"],
    "take an instance out of a classic load balancer if nobody else does, where `deregister` says so; if one of its tags says that it is the cluster's",
    { wanted: "deregistration" },
  ),
  forCalls(
    "cluster",
    ["eks:DescribeCluster"],
    "learn the cluster's endpoint and certificate authority",
  ),
  forCalls(
    "cluster",
    ["eks:CreateAccessEntry"],
    `let the role of a new node into the cluster, as a node and no more: if the entry is of type ${entryTypes.join(" or ")}, and its role one of \`nodeRoleArns\``,
    {
      // An entry of type STANDARD could put a role into any group of the cluster.
      // https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonelastickubernetesservice.html
      given: { StringEquals: { "eks:accessEntryType": entryTypes } },
      roleKey: "eks:principalArn",
      wanted: "access entries",
    },
  ),
  forCalls(
    "access entries",
    ["eks:DescribeAccessEntry"],
    "see whether the role of a new node is registered already",
    { wanted: "access entries" },
  ),
  forCalls("instance profiles", ["iam:GetInstanceProfile"], "learn which role a new instance has", {
    wanted: "launches",
  }),
  forPlatform(
    "node roles",
    ["iam:PassRole"],
    "EKS asks for it when an access entry for nodes is made; a role can be passed to EC2 and to no other service",
    {
      // Under "CreateAccessEntry" in https://servicereference.us-east-1.amazonaws.com/v1/eks/eks.json
      given: { StringEquals: { "iam:PassedToService": passedTo } },
      wanted: "access entries",
    },
  ),
];

const needed = ["DescribeAutoScalingGroups", "DescribeInstances", "DescribeCluster"];

/** The permissions of a function that drains without a notice, and so completes no hook. */
export const drainPermissions = nodePermissions.filter(({ actions: [action = ""] }) => {
  const [service, name = ""] = action.split(":");
  return service === "elasticloadbalancing" || needed.includes(name);
});

/** Reads a group's scaling activities and instance refreshes, for a reason. */
export const toSeeDoings = (why: string): PermissionGrant<"any"> =>
  describes(
    [
      "autoscaling:DescribeScalingActivities",
      "autoscaling:DescribeInstanceRefreshes",
      "autoscaling:DescribeWarmPool",
    ],
    why,
  );

/** Writes tags of a group whose keys match a pattern, for a reason. All other tags may be settings. */
export const toTag = (keys: string, why: string): PermissionGrant<"managed groups"> =>
  forCalls(
    "managed groups",
    ["autoscaling:CreateOrUpdateTags", "autoscaling:DeleteTags"],
    `${why}; if every tag is one of \`${keys}\``,
    {
      given: {
        "ForAllValues:StringLike": { "aws:TagKeys": [keys] },
        Null: { "aws:TagKeys": ["false"] },
      },
    },
  );

/** All permissions of the node function's role, and why it needs them. */
export const functionPermissions: readonly PermissionGrant<NodeTarget | QueueTarget>[] = [
  ...nodePermissions,
  ...queuePermissions,
  ...networkPermissions,
  ...tracingPermissions,
];
