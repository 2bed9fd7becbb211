import type { Duration } from "../../lambda/base/time.ts";
import { clockWords, isClockWrong } from "../connect/clock-words.ts";
import { known, unknown } from "../connect/found.ts";
import type { Check } from "./site.ts";
import { type LinkVerdict, problemIf } from "./verdict.ts";

/** Judges the clock of this computer by how far it is ahead of the cluster's. */
export const clockVerdict = (ahead: Duration): LinkVerdict => ({
  well: clockWords(ahead) || "the cluster's",
  problems: problemIf(
    isClockWrong(ahead),
    `${clockWords(ahead)}: this program corrects its own times and tokens, but a program of a kubeconfig that signs in by this clock is refused`,
    "set the clock of this computer, as with `chronyc makestep`",
  ),
});

/** Checks the clock of this computer. */
export const clockCheck: Check<"access" | "answers"> = async ({ access, answers }) => {
  // A slow answer says what time it is too.
  await answers;
  return access.clock.taught
    ? known(clockVerdict(access.clock.difference()))
    : unknown("the cluster has not said what time it is", "look at what else is unknown");
};
