import { Duration } from "aws-cdk-lib";
import { hookSettings } from "../../lambda/config/settings.ts";
import { functionTimeoutSeconds, passSeconds } from "../../lambda/contract.ts";
import { longestHold } from "../../lambda/domain/notice/drain-deadline.ts";
import { seconds, wholeSeconds } from "../../lambda/domain/time.ts";
import { Refusal } from "../refusal.ts";

const { form: heartbeatRange, default: usualHeartbeat } = hookSettings.heartbeat;

/** How long a function may take, at most. */
export const functionTimeout = Duration.seconds(functionTimeoutSeconds);

/** A message that is not answered for comes back this long after it was received. */
export const defaultVisibility = Duration.seconds(functionTimeoutSeconds + 10);

/** How often a notice may be received before it counts as lost. */
export const defaultReceives = 1000;

/** How long a hook waits for a heartbeat if nobody says otherwise: it can then hold an instance as long as any hook can. */
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

/** Refuses work that takes longer than a hook holds its instance. */
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

/** Refuses a queue that would give a message out again while the function still works on it. */
export function assertVisibility(visibility: Duration): void {
  const least = functionTimeoutSeconds + 1;
  if (visibility.toSeconds() >= least) return;
  throw new Refusal(
    `a queue visibility timeout of ${visibility.toSeconds()} seconds is not longer than the function's timeout of ${functionTimeoutSeconds}; ${defaultVisibility.toSeconds()} will do`,
  );
}

// As the passes of a drain are spaced: 250 receives at least 5 seconds apart, then a rest of 3 minutes; a pass takes 50 seconds.
const early = { receives: 250, apart: 5 + passSeconds };
const late = { apart: 180 + passSeconds };
const towardsDeadline = 10;

/** How often the notice of a drain that takes this long is received. */
export function receivesOf(drain: Duration): number {
  const whole = drain.toSeconds();
  const atFirst = Math.min(early.receives, Math.ceil(whole / early.apart));
  const rest = Math.max(0, whole - early.receives * early.apart);
  return atFirst + Math.ceil(rest / late.apart) + towardsDeadline;
}

/** Refuses a receive count that a drain of 48 hours, which any group may ask for by its tag, would exceed. */
export function assertReceives(most: number): void {
  const needed = receivesOf(Duration.seconds(holdOf(defaultHeartbeat)));
  if (most >= needed) return;
  throw new Refusal(
    `a notice may be received ${most} times, and a drain of 48 hours takes ${needed}; ${defaultReceives} will do`,
  );
}
