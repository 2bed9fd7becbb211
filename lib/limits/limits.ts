import { Duration } from "aws-cdk-lib";
import { hookSettings } from "../../lambda/config/settings.ts";
import { functionTimeoutSeconds, passSeconds } from "../../lambda/contract.ts";
import { longestHold } from "../../lambda/domain/notice/drain-deadline.ts";
import { seconds, wholeSeconds } from "../../lambda/domain/time.ts";
import { Refusal } from "../refusal.ts";

const { form: heartbeatRange, default: usualHeartbeat } = hookSettings.heartbeat;

/** The longest time that an invocation of the function may take. */
export const functionTimeout = Duration.seconds(functionTimeoutSeconds);

/** A message that the function neither deletes nor gives back is visible again after this time. */
export const defaultVisibility = Duration.seconds(functionTimeoutSeconds + 10);

/** How often a notice may be received before SQS moves it to the dead-letter queue. */
export const defaultReceives = 1000;

/** How many batches of messages the function works on at the same time by default. */
export const defaultConcurrency = 10;

/** How long a hook waits for a heartbeat by default. Such a hook can hold an instance as long as any hook can. */
export const defaultHeartbeat = Duration.seconds(usualHeartbeat);

/** Refuses a heartbeat timeout that Auto Scaling refuses. */
export function assertHeartbeat(heartbeat: Duration): void {
  const { least, most } = heartbeatRange;
  const beat = heartbeat.toSeconds();
  if (beat >= least && beat <= most) return;
  throw new Refusal(
    `a hook's heartbeat timeout is ${least} to ${most} seconds, not ${beat}; ${usualHeartbeat} will do`,
  );
}

/** Refuses a timeout that is longer than a hook can hold its instance. */
export function assertHookHolds(heartbeat: Duration, work: "drain" | "launch", timeout: Duration) {
  const needed = timeout.toSeconds();
  const ever = holdOf(defaultHeartbeat);
  if (needed > ever)
    throw new Refusal(
      `a ${work} timeout of ${needed} seconds is longer than any hook holds an instance; ${ever} will do`,
    );
  const beat = heartbeat.toSeconds();
  const holds = holdOf(heartbeat);
  if (needed <= holds) return;
  const enough = Math.ceil((needed * beat) / holds);
  throw new Refusal(
    `a ${work} timeout of ${needed} seconds does not fit into the ${holds} that a hook with a heartbeat timeout of ${beat} holds an instance; a heartbeat timeout of ${enough} will do`,
  );
}

const holdOf = (heartbeat: Duration): number =>
  wholeSeconds(longestHold(seconds(heartbeat.toSeconds())));

/** Refuses a visibility timeout so short that the queue hands out a message again while the function works on it. */
export function assertVisibility(visibility: Duration): void {
  const least = functionTimeoutSeconds + 1;
  if (visibility.toSeconds() >= least) return;
  throw new Refusal(
    `a queue visibility timeout of ${visibility.toSeconds()} seconds is not longer than the function's timeout of ${functionTimeoutSeconds}; ${defaultVisibility.toSeconds()} will do`,
  );
}

/** Refuses so few reserved invocations that Lambda would throttle the event source mapping, and a throttled notice counts as received. */
export function assertReserved(reserved: number | undefined, concurrency: number): void {
  if (reserved === undefined || reserved >= concurrency) return;
  throw new Refusal(
    `a reserved concurrency of ${reserved} is less than the ${concurrency} batches that may be in work at the same time; ${concurrency} will do`,
  );
}

// The function receives a notice 250 times with rests of at least 5 seconds, and later with rests of 3 minutes; a pass adds its own time.
const early = { receives: 250, apart: 5 + passSeconds };
const late = { apart: 180 + passSeconds };
const towardsDeadline = 10;

/** How often the function receives the notice of a drain that takes this long. */
export function receivesOf(drain: Duration): number {
  const whole = drain.toSeconds();
  const atFirst = Math.min(early.receives, Math.ceil(whole / early.apart));
  const rest = Math.max(0, whole - early.receives * early.apart);
  return atFirst + Math.ceil(rest / late.apart) + towardsDeadline;
}

/** Refuses a receive count that the longest drain would exceed. Any group may ask for such a drain by its tag. */
export function assertReceives(most: number): void {
  const longest = Duration.seconds(holdOf(defaultHeartbeat));
  const needed = receivesOf(longest);
  if (most >= needed) return;
  throw new Refusal(
    `a notice may be received ${most} times, and a drain of ${longest.toHours()} hours takes ${needed}; ${defaultReceives} will do`,
  );
}
