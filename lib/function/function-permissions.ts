import { nodeEntryTypes } from "../../lambda/contract.ts";

/** What actions are allowed on. */
export type Target =
  | "any"
  | "access entries"
  | "cluster"
  | "dead letters"
  | "instance profiles"
  | "log group"
  | "managed groups"
  | "node roles"
  | "queue";

/** What only some deployments do: hold launches, and let the roles of nodes in by access entries. */
export type Wanted = "access entries" | "launches";

/** Actions that the node function's role is granted. */
export interface PermissionGrant {
  readonly actions: readonly string[];
  readonly on: Target;
  /** The conditions of a policy's statement. @default none */
  readonly given?: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;
  /** Who needs them: the function's own calls, or AWS for what it does for them. */
  readonly for: "calls" | "platform";
  /** What a deployment has that needs them. @default all have it */
  readonly wanted?: Wanted;
  readonly why: string;
}

/** What Lambda needs to put a function into a VPC. */
export const networkActions: readonly string[] = [
  "ec2:CreateNetworkInterface",
  "ec2:DescribeNetworkInterfaces",
  "ec2:DescribeSubnets",
  "ec2:DeleteNetworkInterface",
  "ec2:AssignPrivateIpAddresses",
  "ec2:UnassignPrivateIpAddresses",
];

// In China EC2 goes by the second name.
const passedTo = ["ec2.amazonaws.com", "ec2.amazonaws.com.cn"];
const entryTypes = Object.values(nodeEntryTypes);

/** Everything that the node function's role is granted, and why; there is nothing else. */
export const functionPermissions: readonly PermissionGrant[] = [
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
    for: "calls",
    wanted: "access entries",
    why: `let the role of a new node into the cluster, as a node and no more: if the entry is of type ${entryTypes.join(" or ")}`,
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
  {
    actions: ["sqs:ChangeMessageVisibility"],
    on: "queue",
    for: "calls",
    why: "hand a notice back until its next pass",
  },
  {
    actions: ["sqs:SendMessage"],
    on: "dead letters",
    for: "calls",
    why: "put a notice that can never be worked on where people look",
  },
  {
    actions: ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"],
    on: "queue",
    for: "platform",
    why: "the event source mapping takes notices out of the queue",
  },
  {
    actions: ["logs:CreateLogStream", "logs:PutLogEvents"],
    on: "log group",
    for: "platform",
    why: "write the journal",
  },
  {
    actions: networkActions,
    on: "any",
    for: "platform",
    why: "Lambda puts the function into the cluster's VPC; it refuses a role that cannot do this on any resource",
  },
];
