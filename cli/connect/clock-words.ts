import { type Duration, longest, milliseconds, seconds, spoken } from "../../lambda/base/time.ts";

// An answer tells the time in whole seconds, and is under way for some time.
const negligible = seconds(5);

const length = (ahead: Duration): Duration => longest(ahead, milliseconds(-ahead));

/**
 * The difference between this computer's clock and the cluster's, or another's, in words; empty
 * where it is small.
 */
export const clockWords = (ahead: Duration, whose = "the cluster's"): string =>
  length(ahead) <= negligible
    ? ""
    : `the clock of this computer is ${spoken(length(ahead))} ${ahead > 0 ? "ahead of" : "behind"} ${whose}`;

// AWS refuses a signature whose time differs by five minutes.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-troubleshooting.html
const tolerated = seconds(240);

/** True if a clock differs so much that a token by it may be refused. */
export const isClockWrong = (ahead: Duration): boolean => length(ahead) > tolerated;
