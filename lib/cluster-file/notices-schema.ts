import { eventSettings, hookSettings } from "../../lambda/config/settings.ts";
import { oneOf, onOrOff, part, whole } from "./field-schema.ts";
import { hookName } from "./name-schema.ts";
import { fieldsOf } from "./settings-schema.ts";

/** The part of a cluster's file that says which hooks the groups have. */
export const hooks = part({
  terminateName: hookName.default("Terminate-LC-Hook"),
  launchName: hookName.default("Launch-LC-Hook"),
  launching: oneOf("held", "not held")
    .default("held")
    .describe("Whether launching instances are held until their node is ready."),
  heartbeatSeconds: fieldsOf(hookSettings).heartbeatSeconds.describe(
    "At least 267 where the queue's visibility timeout is the usual one.",
  ),
});

/** The part of a cluster's file that says of which events the function hears. */
export const events = part({
  spotInterruption: onOrOff("The two minutes' warning of a Spot instance."),
  rebalanceRecommendation: onOrOff("The advice that a Spot instance may be interrupted."),
  scheduledChange: onOrOff("Scheduled changes of EC2 that AWS Health tells of."),
  stateChange: onOrOff("Instances that somebody stops or terminates by hand."),
  ...fieldsOf(eventSettings),
});

/** The part of a cluster's file that says how the queue keeps notices. */
export const queue = part({
  visibilitySeconds: whole(1, 43_200).default(130),
  receives: whole(1, 1000).default(80),
});
