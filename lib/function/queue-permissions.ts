import type { PermissionGrant } from "./permission-grant.ts";

/** The resources of the permissions of every queue's function. */
export type QueueTarget = "any" | "log group" | "queue" | "queue and dead letters";

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
    on: "queue and dead letters",
    for: "calls",
    why: "send a fresh message for a notice that waits long, and put one that can never be worked on where people look",
  },
  {
    actions: ["sqs:DeleteMessage"],
    on: "queue",
    for: "calls",
    why: "delete the message that the fresh one takes the place of; the event source mapping deletes those that are done",
  },
  {
    actions: ["sqs:ReceiveMessage", "sqs:GetQueueAttributes"],
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
