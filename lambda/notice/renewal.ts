import { type Duration, type Instant, minutes, shortest } from "../base/time.ts";
import type { Reception } from "./begun-at.ts";

/**
 * The receive count at which a fresh message takes a message's place. A pass that ends well renews
 * its message by then, so a message that is received more often is one on which passes crash.
 * Twenty rests of twelve hours are ten days, and a queue keeps a message for 14.
 */
export const receivesOfMessage = 20;

/**
 * The least receive count at which a queue may make a dead letter of a message: the difference is
 * for crashes.
 */
export const leastReceives = receivesOfMessage + 10;

/** The receive counts of a message, and of the messages that it replaced. */
export interface Receives {
  /** This time included. */
  readonly ofMessage: number;
  readonly before: number;
  /** When the first message was received; `never` if the queue does not say. */
  readonly first: Instant;
}

/** The receive count of a notice over all of its messages. */
export const receivesOfNotice = ({ ofMessage, before }: Receives): number => ofMessage + before;

/** The reception of a notice over all of its messages. */
export const receptionOf = (receives: Receives): Reception => ({
  receives: receivesOfNotice(receives),
  firstReceived: receives.first,
});

/**
 * The most receives of a drain's notice that does not end: almost three days, which is longer than
 * any drain.
 */
export const mostReceives = 1500;

/** Whether a notice that meets a fault again has been tried often enough. */
export const isTriedEnough = ({ receives }: Reception): boolean => receives >= mostReceives;

/** The return of a resting notice: by its own message, or by a fresh one. */
export type Rest =
  | { readonly kind: "postponed"; readonly wait: Duration }
  | { readonly kind: "renewed"; readonly wait: Duration };

// CloudWatch's age of the oldest message counts one that has been received three times at most, and an alarm goes off when
// that is ten minutes. Whether the third receive still counts, its page leaves open: here it does.
// https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html
const countedReceives = 3;
const longestWhileCounted = minutes(1);

/** Chooses what happens to a message whose notice rests for a while. */
export function restOf({ ofMessage }: Receives, wait: Duration): Rest {
  const brief = shortest(wait, longestWhileCounted);
  if (ofMessage >= receivesOfMessage) return { kind: "renewed", wait: brief };
  return { kind: "postponed", wait: ofMessage <= countedReceives ? brief : wait };
}
