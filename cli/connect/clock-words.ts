import { type Duration, longest, milliseconds, seconds, spoken } from "../../lambda/base/time.ts";

// An answer tells the time in whole seconds, and is under way for some time.
const negligible = seconds(5);

const length = (ahead: Duration): Duration => longest(ahead, milliseconds(-ahead));

/** How far the clock of this computer is ahead of the cluster's, or of somebody else's, or behind it; empty where it hardly is. */
export const clockWords = (ahead: Duration, whose = "the cluster's"): string =>
  length(ahead) <= negligible
    ? ""
    : `the clock of this computer is ${spoken(length(ahead))} ${ahead > 0 ? "ahead of" : "behind"} ${whose}`;

// AWS refuses a signature whose time differs by five minutes.
// https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-troubleshooting.html
const tolerated = seconds(240);

/** Whether a clock differs so much that a token by it may be refused. */
export const isClockWrong = (ahead: Duration): boolean => length(ahead) > tolerated;
