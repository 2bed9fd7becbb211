import { Duration } from "aws-cdk-lib";
import { functionTimeoutSeconds } from "../../lambda/base/contract.ts";
import { hookSettings } from "../../lambda/config/settings.ts";
import { leastReceives, receivesOfMessage } from "../../lambda/notice/renewal.ts";
import { Refusal } from "../refusal.ts";

/** The longest time that an invocation of the function may take. */
export const functionTimeout = Duration.seconds(functionTimeoutSeconds);

/** The visibility timeout of a message that the function neither deletes nor returns. */
export const defaultVisibility = Duration.seconds(functionTimeoutSeconds + 10);

// A pass that ends well renews its message at the 20th receive at the latest. 60 crashes, 130 seconds apart, are longer than
// any hook waits for a heartbeat, which is two hours.
const usualCrashes = 60;

/** The most receives of a message before SQS moves it to the dead-letter queue. */
export const defaultReceives = receivesOfMessage + usualCrashes;

/** The default number of batches that the function works on at the same time. */
export const defaultConcurrency = 10;

/**
 * The default heartbeat timeout of a hook. Such a hook can hold an instance as long as any hook
 * can.
 */
export const defaultHeartbeat = Duration.seconds(hookSettings.heartbeat.default);

/** Refuses a visibility timeout so short that the queue delivers a message again while the function works on it. */
export function assertVisibility(visibility: Duration): void {
  const least = functionTimeoutSeconds + 1;
  if (visibility.toSeconds() >= least) return;
  throw new Refusal(
    `a queue visibility timeout of ${visibility.toSeconds()} seconds is not longer than the function's timeout of ${functionTimeoutSeconds}; ${defaultVisibility.toSeconds()} will do`,
  );
}

/**
 * Refuses so few reserved invocations that Lambda would throttle the event source mapping. A throttled notice counts as
 * received.
 */
export function assertReserved(reserved: number | undefined, concurrency: number): void {
  if (reserved === undefined || reserved >= concurrency) return;
  throw new Refusal(
    `a reserved concurrency of ${reserved} is less than the ${concurrency} batches that may be in work at the same time; ${concurrency} will do`,
  );
}

/** Refuses a receive count that a notice could reach without a crash, or soon after a few. */
export function assertReceives(most: number): void {
  if (most >= leastReceives) return;
  throw new Refusal(
    `a message may be received ${most} times, and the function takes up to ${receivesOfMessage} of them before it sends a fresh one; ${defaultReceives} will do, and ${leastReceives} at least`,
  );
}
