import { Duration } from "aws-cdk-lib";
import { functionTimeoutSeconds, passSeconds } from "../../lambda/base/contract.ts";
import { seconds, wholeSeconds } from "../../lambda/base/time.ts";
import { longestRestWithin } from "../../lambda/drain/drain-bounds.ts";
import { longestBeforeMarking } from "../../lambda/drain/next-pass.ts";
import { Refusal } from "../refusal.ts";
import { defaultVisibility } from "./limits.ts";

const longestRest = wholeSeconds(longestBeforeMarking);
const start = 20; // time to receive the notice again, start the function, call Auto Scaling, and send a heartbeat
const leastVisibility = functionTimeoutSeconds + 1;

/**
 * The longest visibility timeout, in seconds, with which the hook does not time out after a crash of the function.
 *
 * The worst case: a pass sends a heartbeat when it starts, works, and rests. Then a function receives the notice and crashes
 * before its first call. The next function receives the notice only after the visibility timeout, and only then sends the
 * next heartbeat.
 */
export function longestVisibility(heartbeat: Duration): number {
  const beat = heartbeat.toSeconds();
  const worked = Math.min(passSeconds, beat / 2); // a pass sends a heartbeat when half of the timeout is over
  const rested = Math.min(longestRest, longestRestWithin(seconds(beat)) / 1000);
  return Math.floor(beat - worked - rested - start);
}

/** Refuses a visibility timeout so long that, after a crash of the function, the hook times out before the notice is back. */
export function assertBackInTime(visibility: Duration, heartbeat: Duration): void {
  const asked = visibility.toSeconds();
  const most = longestVisibility(heartbeat);
  if (asked <= most) return;
  const beat = heartbeat.toSeconds();
  const enough =
    most >= leastVisibility
      ? `a visibility timeout of ${most} will do`
      : `a heartbeat timeout of ${leastHeartbeat()} with a visibility timeout of ${defaultVisibility.toSeconds()} will do`;
  throw new Refusal(
    `after a crash a notice would be back in the queue ${asked} seconds later, its visibility timeout, when a hook with a heartbeat timeout of ${beat} may have run out; ${enough}`,
  );
}

/** The shortest heartbeat timeout with which the hook does not time out after a crash, if the queue has its default visibility timeout. */
function leastHeartbeat(): number {
  let beat = defaultVisibility.toSeconds();
  while (longestVisibility(Duration.seconds(beat)) < defaultVisibility.toSeconds()) beat += 1;
  return beat;
}
