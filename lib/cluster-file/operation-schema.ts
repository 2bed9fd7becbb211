import * as z from "zod";
import { list, oneOf, onOrOff, part, unique, whole } from "./field-schema.ts";
import { securityGroupId, topicArn } from "./name-schema.ts";

const retentions = [
  1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827, 2192, 2557, 2922, 3288,
  3653,
];
const kept = `days as CloudWatch Logs has them: ${retentions.join(", ")}`;
const ownGroups = "a list of the ids of security groups, 5 at most";

/** The part of a cluster's file that says how Lambda runs the functions. */
export const lambda = part({
  memoryMegabytes: whole(256, 10_240).default(512),
  concurrency: whole(2, 1000)
    .default(10)
    .describe("How many batches of ten notices may be in work at the same time."),
  reservedConcurrency: whole(2, 1000)
    .optional()
    .describe(
      "How many invocations Lambda keeps free for the function, which never has more; at least `concurrency`.",
    ),
  logRetentionDays: z
    .literal(retentions, kept)
    .default(30)
    .describe("How long all logs of the stack are kept."),
  architecture: oneOf("arm64", "x86_64").default("arm64"),
  tracing: onOrOff("Whether X-Ray traces the function's invocations.").default("off"),
  securityGroupIds: list(securityGroupId("the id of a security group"), ownGroups)
    .max(5, ownGroups) // Lambda takes no more
    .optional()
    .describe(
      "Security groups for the functions, to which no rule is added; without it, one is made.",
    ),
});

/** The part of a cluster's file that says which alarms there are, and whom they tell. */
export const alarms = part({
  deadLetters: onOrOff("A notice lies in the dead letters."),
  waitingNotices: onOrOff(
    "A notice that was received three times at most has waited for more than ten minutes.",
  ),
  functionErrors: onOrOff("An invocation of the function ends in a crash or a timeout."),
  functionThrottles: onOrOff(
    "Lambda refuses invocations of the function for a quarter of an hour.",
  ),
  faults: onOrOff("The function meets faults for a quarter of an hour."),
  expiredDrains: onOrOff("A node was not empty at the deadline of its drain."),
  failedLaunches: onOrOff("The node of a launched instance was not ready in time."),
  lateHeartbeats: onOrOff(
    "A pass finds that a hook has gone without a heartbeat for three quarters of its timeout.",
  ),
  lostNews: onOrOff("The webhook did not get the news of a drain, where there is a webhook."),
  failedUpgrades: onOrOff("The upgrade of a group has failed, where there are upgrades."),
  heldRepairs: onOrOff(
    "Repairs have been held for an hour, or for four passes if these take longer, by a brake, by faults or by late messages, where there are repairs.",
  ),
  topicArns: unique(topicArn, "a list of the ARNs of topics")
    .max(5, "five topics at most") // an alarm takes no more actions
    .default([])
    .describe("The topics that an alarm notifies."),
});
