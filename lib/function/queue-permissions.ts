import { forCalls, forPlatform, type PermissionGrant } from "./permission-grant.ts";

/** The resources of the permissions of every queue's function. */
export type QueueTarget = "any" | "log group" | "queue" | "queue and dead letters";

/** The rights that Lambda needs to put a function into a VPC. */
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
  forCalls("queue", ["sqs:ChangeMessageVisibility"], "hand a notice back until its next pass"),
  forCalls(
    "queue and dead letters",
    ["sqs:SendMessage"],
    "send a fresh message for a notice that waits long, and put one that can never be worked on where people look",
  ),
  forCalls(
    "queue",
    ["sqs:DeleteMessage"],
    "delete the message that the fresh one takes the place of; the event source mapping deletes those that are done",
  ),
  forPlatform(
    "queue",
    ["sqs:ReceiveMessage", "sqs:GetQueueAttributes"],
    "the event source mapping takes notices out of the queue",
  ),
  forPlatform("log group", ["logs:CreateLogStream", "logs:PutLogEvents"], "write the journal"),
];

/** The permissions of a function in a VPC. */
export const networkPermissions: readonly PermissionGrant<QueueTarget>[] = [
  forPlatform(
    "any",
    networkActions,
    "Lambda puts the function into the cluster's VPC; it refuses a role that cannot do this on any resource",
  ),
];

/** The permissions of a function that X-Ray traces. */
export const tracingPermissions: readonly PermissionGrant<QueueTarget>[] = [
  forPlatform(
    "any",
    ["xray:PutTraceSegments", "xray:PutTelemetryRecords"],
    "Lambda sends traces, where `tracing` is on; knows no resources",
  ),
];
