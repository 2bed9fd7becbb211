import { nodeEntryTypes } from "../../lambda/base/contract.ts";
import type { PermissionGrant } from "./permission-grant.ts";
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
  | "tagged at launch";

/** Whom the role of a node is passed to; EC2 has the second name in China. */
export const passedTo = ["ec2.amazonaws.com", "ec2.amazonaws.com.cn"];
const entryTypes = Object.values(nodeEntryTypes);

/** The permissions of the node function besides those of every queue's function. */
export const nodePermissions: readonly PermissionGrant<NodeTarget>[] = [
  {
    actions: ["autoscaling:DescribeAutoScalingInstances"],
    on: "any",
    for: "calls",
    why: "ask whether a notice is true: which group an instance is in, and in which state; knows no resources",
  },
  {
    actions: ["autoscaling:DescribeAutoScalingGroups"],
    on: "any",
    for: "calls",
    why: "find the peers that are about to go too, and a group's own settings; knows no resources",
  },
  {
    actions: ["autoscaling:DescribeLifecycleHooks"],
    on: "any",
    for: "calls",
    why: "learn how long a hook waits for a heartbeat; knows no resources",
  },
  {
    actions: ["autoscaling:RecordLifecycleActionHeartbeat", "autoscaling:CompleteLifecycleAction"],
    on: "managed groups",
    for: "calls",
    why: "hold an instance while its node is drained, then let it go",
  },
  {
    actions: ["ec2:DescribeInstances"],
    on: "any",
    for: "calls",
    why: "learn the name that an instance's node has; knows no resources",
  },
  {
    actions: [
      "elasticloadbalancing:DescribeTargetGroups",
      "elasticloadbalancing:DescribeTargetHealth",
      "elasticloadbalancing:DescribeTargetGroupAttributes",
      "elasticloadbalancing:DescribeLoadBalancers",
      "elasticloadbalancing:DescribeInstanceHealth",
      "elasticloadbalancing:DescribeLoadBalancerAttributes",
    ],
    on: "any",
    for: "calls",
    why: "wait until no load balancer sends requests to an instance; knows no resources",
  },
  {
    actions: ["elasticloadbalancing:DeregisterTargets"],
    on: "target groups",
    for: "calls",
    wanted: "deregistration",
    why: "take an instance out of a target group if nobody else does, where `deregister` says so; if one of its tags says that it is the cluster's",
  },
  {
    actions: ["elasticloadbalancing:DeregisterInstancesFromLoadBalancer"],
    on: "classic load balancers",
    for: "calls",
    wanted: "deregistration",
    why: "take an instance out of a classic load balancer if nobody else does, where `deregister` says so; if one of its tags says that it is the cluster's",
  },
  {
    actions: ["eks:DescribeCluster"],
    on: "cluster",
    for: "calls",
    why: "learn the cluster's endpoint and certificate authority",
  },
  {
    actions: ["eks:CreateAccessEntry"],
    on: "cluster",
    // An entry of type STANDARD could put anybody into any group of the cluster.
    // https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonelastickubernetesservice.html
    given: { StringEquals: { "eks:accessEntryType": entryTypes } },
    roleKey: "eks:principalArn",
    for: "calls",
    wanted: "access entries",
    why: `let the role of a new node into the cluster, as a node and no more: if the entry is of type ${entryTypes.join(" or ")}, and its role one of \`nodeRoleArns\` if there are any`,
  },
  {
    actions: ["eks:DescribeAccessEntry"],
    on: "access entries",
    for: "calls",
    wanted: "access entries",
    why: "see whether the role of a new node is let in already",
  },
  {
    actions: ["iam:GetInstanceProfile"],
    on: "instance profiles",
    for: "calls",
    wanted: "launches",
    why: "learn which role a new instance has",
  },
  {
    actions: ["iam:PassRole"],
    on: "node roles",
    // Under "CreateAccessEntry" in https://servicereference.us-east-1.amazonaws.com/v1/eks/eks.json
    given: { StringEquals: { "iam:PassedToService": passedTo } },
    for: "platform",
    wanted: "access entries",
    why: "EKS asks for it when an access entry for nodes is made; a role can be passed to EC2 and to no other service",
  },
];

const needed = ["DescribeAutoScalingGroups", "DescribeInstances", "DescribeCluster"];

/** What a function needs of AWS that drains nodes on no notice, and so holds no hook. */
export const drainPermissions = nodePermissions.filter(({ actions: [action = ""] }) => {
  const [service, name = ""] = action.split(":");
  return service === "elasticloadbalancing" || needed.includes(name);
});

type Row = PermissionGrant<"any" | "managed groups">;

/** To see what Auto Scaling does with a group by itself, for a reason. */
export const toSeeDoings = (why: string): Row => ({
  actions: [
    "autoscaling:DescribeScalingActivities",
    "autoscaling:DescribeInstanceRefreshes",
    "autoscaling:DescribeWarmPool",
  ],
  on: "any",
  for: "calls",
  why: `${why}; knows no resources`,
});

/** To write tags of a group whose keys fit a pattern, for a reason; all other tags may be settings. */
export const toTag = (keys: string, why: string): Row => ({
  actions: ["autoscaling:CreateOrUpdateTags", "autoscaling:DeleteTags"],
  on: "managed groups",
  given: {
    "ForAllValues:StringLike": { "aws:TagKeys": [keys] },
    Null: { "aws:TagKeys": ["false"] },
  },
  for: "calls",
  why: `${why}; if every tag is one of \`${keys}\``,
});

/** All permissions of the node function's role, and why it needs them. */
export const functionPermissions: readonly PermissionGrant<NodeTarget | QueueTarget>[] = [
  ...nodePermissions,
  ...queuePermissions,
  ...networkPermissions,
  ...tracingPermissions,
];
