import {
  type Duration,
  hours,
  longest,
  milliseconds,
  minutes,
  seconds,
  shortest,
} from "../base/time.ts";
import type { Reason } from "../drain/cause.ts";
import type { GraceRules } from "../drain/drain.port.ts";
import type { DrainLengths } from "../drain/drain-bounds.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";

// EC2 takes a Spot instance this long after its event.
// See https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/spot-instance-termination-notices.html
const spotNotice = minutes(2);
// The volume of an ended pod is unmounted and detached within about ten seconds.
const forVolumes = seconds(15);
const forLastAnswer = seconds(2);
// The queue hands a message out again within a second or two.
const longestRest = seconds(3);
// Once the instance should be gone, each pod has this long to end.
const leastTry = seconds(2);

/** How old the notice of a Spot instance is when EC2 has taken the instance, if it takes it at all. */
export const spotTakenWithin = milliseconds(spotNotice + minutes(1));

/**
 * How long a Spot instance's drain rests once its node is marked. EC2 often takes many instances of a pool at once. By then
 * the notices of the others have arrived, and their nodes are marked. It rests only once, even if the node is uncordoned.
 */
export const spotHeadStart = (receives: number): Duration => seconds(receives === 1 ? 3 : 0);

/** The maximum age of a notice that comes from EC2. No queue keeps it longer, so an older one was saved and sent again. */
export const longestInQueues = hours(14 * 24);

const spotDeadline = milliseconds(spotNotice - forVolumes);
const spotHeldUntil = milliseconds(spotNotice - forLastAnswer);

/**
 * The lengths for a Spot instance that EC2 takes back, by the age of its notice: two minutes, less what volumes and the last
 * answer need. Shortly before their deadline pods come before volumes: else they had less time than after it.
 */
export const spotLengths = (age: Duration): DrainLengths => ({
  toDeadline:
    age < spotDeadline
      ? longest(spotDeadline, shortest(spotHeldUntil, milliseconds(age + forVolumes)))
      : spotDeadline,
  toHeldUntil: spotHeldUntil,
  longestRest,
  leastTry,
});

/** The lengths for an instance that is stopped or terminated without a hook. */
export const stoppingLengths = (timeout: Duration): DrainLengths => ({
  toDeadline: timeout,
  toHeldUntil: timeout,
  longestRest,
  leastTry,
});

// Of less than two minutes, half is for ordinary pods alone.
const mostTierPercent = 50;
const settleShare = 20;

/** The settings of a drain with little time: it does not wait long for ordinary pods, or for the mark to settle. */
export const hurried = (settings: DrainSettings, { toDeadline }: DrainLengths): DrainSettings => ({
  ...settings,
  tierPercent: Math.min(settings.tierPercent, mostTierPercent),
  settle: shortest(settings.settle, milliseconds(toDeadline / settleShare)),
});

const hurriedReasons: readonly Reason[] = ["interrupted", "stopping"];

/** Whether a node has less time than pods often ask for, so that graces are cut from the beginning. */
export const isHurried = (reason: Reason): boolean => hurriedReasons.includes(reason);

// A pod that asks for more gets less in any case. The rest of the minute is its budget's.
const whenStopping = seconds(20);
// Longer than any drain.
const everyGrace = hours(1000);

/** How much of a pod's grace counts against its budget, for this reason of a drain. */
export const heededGraceFor = (reason: Reason): Duration =>
  reason === "stopping" ? whenStopping : everyGrace;

/** What a drain has to know of the reasons for which EC2 ends instances. */
export const graceRules: GraceRules = { heededGraceFor, isHurried };
