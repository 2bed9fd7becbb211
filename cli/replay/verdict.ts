import { ofKind } from "../../journal/happening.ts";
import { between, spoken } from "../../lambda/base/time.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import { remedyFor } from "../remedies.ts";
import type { ReplayRequest, ReplayResult } from "./replay-request.ts";
import { drainedLine, restingLine, tryUnfinishedLine, whereaboutsOf } from "./replay-words.ts";

/** Where the messages of a replay come from. */
type Source = Pick<ReplayRequest, "event" | "messages">;

/** The verdict on a replay: an exit code, and one line that gives the reason. */
export interface Verdict {
  readonly exitCode: ExitCode;
  readonly line: string;
}

/** Judges a replay: a fault counts first, then work that is not done, then work that is done. */
export function verdictOf(
  result: ReplayResult,
  request: Source = { event: "", messages: [] },
): Verdict {
  const fault = tryFault(result, request);
  if (fault !== undefined) {
    const line = [...fault, ...whereaboutsOf(result)].join("; ");
    return { exitCode: exitCodes.fault, line };
  }
  if (result.ending === "interrupted" || result.ending === "timed-out") return notDone(cut(result));
  if (result.ending === "resting") return notDone(restingLine(result));
  const open = result.outcomes
    .map((outcome) => tryUnfinishedLine(outcome, result))
    .find((line) => line !== undefined);
  return open === undefined
    ? { exitCode: exitCodes.done, line: drainedLine(result) }
    : notDone(open);
}

const notDone = (line: string): Verdict => ({ exitCode: exitCodes.notDone, line });

/** The fault that ended the replay, and what to do about it; one that the function recovered from does not count. */
function tryFault(
  { ending, happenings }: ReplayResult,
  request: Source,
): readonly string[] | undefined {
  const faults = ofKind(happenings, "fault");
  const lasting = faults.find(({ retryable }) => !retryable);
  const fault = lasting ?? (ending === "faulted" ? faults.at(-1) : undefined);
  if (fault !== undefined) {
    const place = fault.code === "event.malformed" ? placeOf(request) : [];
    return [fault.message, ...place, remedyFor(fault.code)];
  }
  if (ending !== "faulted") return undefined;
  const failed = ofKind(happenings, "invocation-ended").findLast(({ how }) => how === "failed");
  return [failed?.error ?? "the function failed", remedyFor(failed?.code ?? "")];
}

function cut(result: ReplayResult): string {
  const { ending, from, to, left } = result;
  const after = spoken(between(from, to));
  const holds = left.length === 0 ? [] : [`still there: ${left.join(", ")}`];
  return ending === "interrupted"
    ? [`interrupted after ${after}`, ...holds, ...whereaboutsOf(result)].join("; ")
    : [
        `not done after ${after}`,
        ...holds,
        ...whereaboutsOf(result),
        "give the replay longer with --timeout, or the drain less time with --drain-timeout",
      ].join("; ");
}

/** Where the saved event has the one message that the function could not read; nothing where there are several. */
function placeOf({ event, messages }: Source): readonly string[] {
  const [only, ...others] = messages;
  if (only === undefined || others.length > 0) return [];
  return [`the message is ${only.place === "" ? "" : `${only.place} of `}${event}`];
}
