import * as z from "zod";
import { oneOf, onOrOff, part, unique } from "./field-schema.ts";
import { keyArn, secretArn, topicArn } from "./name-schema.ts";

/** The part of a cluster's file that says which alarms there are, and whom they tell. */
export const alarms = part({
  deadLetters: onOrOff("A notice lies in the dead letters."),
  waitingNotices: onOrOff("Notices wait for longer than ten minutes before they are looked at."),
  functionErrors: onOrOff("An invocation of the function ends in a crash or a timeout."),
  functionThrottles: onOrOff(
    "Lambda refuses invocations of the function for a quarter of an hour.",
  ),
  faults: onOrOff("The function meets faults for a quarter of an hour."),
  expiredDrains: onOrOff("A node was not empty at the deadline of its drain."),
  failedLaunches: onOrOff("The node of a launched instance was not ready in time."),
  lateHeartbeats: onOrOff("A hook has gone without a heartbeat for three quarters of its timeout."),
  lostNews: onOrOff("The webhook was not told of a drain, where there is a webhook."),
  failedUpgrades: onOrOff("The upgrade of a group has failed, where there are upgrades."),
  heldRepairs: onOrOff(
    "Repairs have been held for an hour by a brake, by faults or by late messages, where there are repairs.",
  ),
  topicArns: unique(topicArn, "a list of the ARNs of topics")
    .max(5, "five topics at most") // an alarm takes no more actions
    .default([])
    .describe("The topics that are told when an alarm goes off."),
});

/** The part of a cluster's file that says which webhook is told of drains. */
export const webhook = part({
  secretArn: secretArn.describe(
    "The secret that has the URL: as its text, or in the field `url` of its JSON.",
  ),
  keyArn: keyArn
    .optional()
    .describe("The key that encrypts the secret; without it, that of Secrets Manager."),
  format: oneOf("slack", "teams", "json").describe(
    "The form of a message; teams is for a webhook of Workflows.",
  ),
  template: z
    .unknown()
    .optional()
    .describe("For json: the message, with placeholders such as {{title}} in its texts."),
});
