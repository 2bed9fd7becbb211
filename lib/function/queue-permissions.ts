import type { PermissionGrant } from "./permission-grant.ts";

/** The resources of the permissions of every queue's function. */
export type QueueTarget = "any" | "dead letters" | "log group" | "queue";

/** What Lambda needs to put a function into a VPC. */
export const networkActions: readonly string[] = [
  "ec2:CreateNetworkInterface",
  "ec2:DescribeNetworkInterfaces",
  "ec2:DescribeSubnets",
  "ec2:DeleteNetworkInterface",
  "ec2:AssignPrivateIpAddresses",
  "ec2:UnassignPrivateIpAddresses",
];

/** The permissions of every queue's function. */
export const queuePermissions: readonly PermissionGrant<QueueTarget>[] = [
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
];

/** The permissions of a function in a VPC. */
export const networkPermissions: readonly PermissionGrant<QueueTarget>[] = [
  {
    actions: networkActions,
    on: "any",
    for: "platform",
    why: "Lambda puts the function into the cluster's VPC; it refuses a role that cannot do this on any resource",
  },
];

/** The permissions of a function that X-Ray traces. */
export const tracingPermissions: readonly PermissionGrant<QueueTarget>[] = [
  {
    actions: ["xray:PutTraceSegments", "xray:PutTelemetryRecords"],
    on: "any",
    for: "platform",
    why: "Lambda sends traces, where `tracing` is on; knows no resources",
  },
];
