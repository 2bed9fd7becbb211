import { type Duration, type Instant, minutes, shortest } from "../base/time.ts";
import type { Reception } from "./begun-at.ts";

/**
 * How often a message is received before a fresh one takes its place.
 *
 * A pass that ends well renews its message by then, so a message that is received more often is one on which passes
 * crash. Twenty rests of twelve hours are ten days, and a queue keeps a message for 14.
 */
export const receivesOfMessage = 20;

/** How often a queue has to deliver a message at least before it makes a dead letter of it: what is over is for crashes. */
export const leastReceives = receivesOfMessage + 10;

/** How often the queue has delivered a message, and how often the messages that it took the place of. */
export interface Receives {
  /** This time included. */
  readonly ofMessage: number;
  readonly before: number;
  /** When the first message was received; `never` if the queue does not say. */
  readonly first: Instant;
}

/** How often a notice has been received, whatever message it was in. */
export const receivesOfNotice = ({ ofMessage, before }: Receives): number => ofMessage + before;

/** How a notice came, whatever message it was in. */
export const receptionOf = (receives: Receives): Reception => ({
  receives: receivesOfNotice(receives),
  firstReceived: receives.first,
});

/** How often the notice of a drain is received at most that does not come to its end: for almost three days, which is longer than any. */
export const mostReceives = 1500;

/** Whether a notice that meets a fault again has been tried often enough. */
export const isTriedEnough = ({ receives }: Reception): boolean => receives >= mostReceives;

/** What happens to the message of a notice that rests: it comes back itself, or a fresh one comes in its place. */
export type Rest =
  | { readonly kind: "postponed"; readonly wait: Duration }
  | { readonly kind: "renewed"; readonly wait: Duration };

// CloudWatch's age of the oldest message counts one that has been received three times at most, and an alarm goes off when
// that is ten minutes. Whether the third receive still counts, its page leaves open: here it does.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
const counted = 3;
const longestWhileCounted = minutes(1);

/** Chooses what happens to a message whose notice rests for a while. */
export function restOf({ ofMessage }: Receives, wait: Duration): Rest {
  const brief = shortest(wait, longestWhileCounted);
  if (ofMessage >= receivesOfMessage) return { kind: "renewed", wait: brief };
  return { kind: "postponed", wait: ofMessage <= counted ? brief : wait };
}
