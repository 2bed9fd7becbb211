import { Duration } from "aws-cdk-lib";
import { functionTimeoutSeconds, passSeconds } from "../../lambda/contract.ts";
import { longestBeforeMarking } from "../../lambda/domain/notice/next-pass.ts";
import { wholeSeconds } from "../../lambda/domain/time.ts";
import { Refusal } from "../refusal.ts";
import { defaultVisibility } from "./limits.ts";

const longestRest = wholeSeconds(longestBeforeMarking);
const start = 20; // to be received again, start anew, ask whether the notice is true, and send the heartbeat
const leastVisibility = functionTimeoutSeconds + 1;

/**
 * The longest visibility timeout with which a hook outlasts a crash, in seconds.
 *
 * At worst a pass sends its heartbeat at its start, works, rests, and is received again by a function that crashes before
 * its first call. Only after the visibility timeout does another one take the notice up, and send the next heartbeat.
 */
export function longestVisibility(heartbeat: Duration): number {
  const beat = heartbeat.toSeconds();
  const worked = Math.min(passSeconds, beat / 2); // heartbeats are sent at half of their timeout
  const rested = Math.min(longestRest, beat / 3);
  return Math.floor(beat - worked - rested - start);
}

/** Refuses a queue that gives a notice back, after a crash of the function, only when its hook has run out. */
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

/** The least heartbeat timeout with which a hook outlasts a crash, where the visibility timeout is the usual. */
function leastHeartbeat(): number {
  let beat = defaultVisibility.toSeconds();
  while (longestVisibility(Duration.seconds(beat)) < defaultVisibility.toSeconds()) beat += 1;
  return beat;
}
