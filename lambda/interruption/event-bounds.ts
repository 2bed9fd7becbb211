import {
  type Duration,
  hours,
  longest,
  milliseconds,
  minutes,
  seconds,
  shortest,
} from "../base/time.ts";
import type { DrainLengths } from "../drain/drain-bounds.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";
import type { Interrupted } from "./event-notice.ts";

// The volume of an ended pod is unmounted and detached within about ten seconds.
const forVolumes = seconds(15);
const forLastAnswer = seconds(2);
// All of that is an eighth of the usual two minutes, and no more of less.
const endShare = 8;
// The queue hands a message out again within a second or two.
const longestRest = seconds(3);
// Once the instance should be gone, each pod has this long to end.
const leastTry = seconds(2);

/** The age of a notice by which EC2 has taken the instance, if it takes it at all. */
export const takenWithin = ({ warning }: Warned): Duration => milliseconds(warning + minutes(1));

/**
 * The rest of an interrupted instance's drain after its node is marked. EC2 often takes many instances at once. By then
 * the notices of the others have arrived, and their nodes are marked. It rests only once, even if the node is uncordoned.
 */
export const interruptedHeadStart = (receives: number): Duration => seconds(receives === 1 ? 3 : 0);

/** The maximum age of a notice that comes from EC2. No queue keeps it longer, so an older one was saved and sent again. */
export const longestInQueues = hours(14 * 24);

type Warned = Pick<Interrupted, "warning">;

/**
 * The lengths for an instance that EC2 takes back, by the age of its notice: the time of its warning, less what volumes and
 * the last answer need. Shortly before their deadline pods come before volumes: else they had less time than after it.
 */
export function interruptedLengths({ warning }: Warned, age: Duration): DrainLengths {
  const share = milliseconds(warning / endShare);
  const volumes = shortest(forVolumes, share);
  const usual = milliseconds(warning - volumes);
  const toHeldUntil = milliseconds(warning - shortest(forLastAnswer, share));
  const toDeadline =
    age < usual ? longest(usual, shortest(toHeldUntil, milliseconds(age + volumes))) : usual;
  return { toDeadline, toHeldUntil, longestRest, leastTry };
}

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
