import type { DrainSettings } from "../drain/drain-policy.ts";
import { type Duration, milliseconds, minutes, seconds, shortest } from "../time.ts";
import type { DrainLengths } from "./drain-bounds.ts";

// EC2 takes a Spot instance this long after its event.
// See https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-instance-termination-notices.html
const spotNotice = minutes(2);
// A volume of a pod that has ended is unmounted and detached in some ten seconds.
const forVolumes = seconds(15);
const forLastAnswer = seconds(2);
// The queue hands a message out again within a second or two.
const longestRest = seconds(3);

/** The lengths for a Spot instance that EC2 takes back: two minutes, less what volumes and the last answer need. */
export const spotLengths: DrainLengths = {
  toDeadline: milliseconds(spotNotice - forVolumes),
  toHeldUntil: milliseconds(spotNotice - forLastAnswer),
  longestRest,
};

/** The lengths for an instance that is stopped or terminated without a hook. */
export const stoppingLengths = (timeout: Duration): DrainLengths => ({
  toDeadline: timeout,
  toHeldUntil: timeout,
  longestRest,
});

// Of less than two minutes, half is for ordinary pods alone.
const mostTierPercent = 50;
const settleShare = 20;

/** The settings of a drain that has little time: nobody waits long for the ordinary pods, or for the mark to settle. */
export const hurried = (settings: DrainSettings, { toDeadline }: DrainLengths): DrainSettings => ({
  ...settings,
  tierPercent: Math.min(settings.tierPercent, mostTierPercent),
  settle: shortest(settings.settle, milliseconds(toDeadline / settleShare)),
});
