import type { AnsweredOutcome } from "../../journal/entry-schema.ts";
import { ofKind, podsGone } from "../../journal/happening.ts";
import type { Outcome } from "../../journal/outcome.ts";
import { rowOf, runbookAnchor, wordsOfOutcome } from "../../journal/outcome-table.ts";
import { clock, shortName } from "../../journal/timeline.ts";
import { counted } from "../../lambda/base/counted.ts";
import { between, type Instant, spoken, tryInstantOf } from "../../lambda/base/time.ts";
import { noteLines } from "../../lambda/notice/outcome.ts";
import { lateness } from "../../lambda/report/end-events.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import { remedyFor } from "../remedies.ts";
import type { ReplayRequest, ReplayResult } from "./replay-request.ts";

export type ReplaySource = Pick<ReplayRequest, "event" | "messages">;

/** The exit code of a replay, and one line with the reason. */
export interface ReplayVerdict {
  readonly exitCode: ExitCode;
  readonly line: string;
}

/** Judges a replay. A fault counts first, then work that is not done. */
export function verdictOf(
  result: ReplayResult,
  request: ReplaySource = { event: "", messages: [] },
): ReplayVerdict {
  const failed = tryFailed(result, request);
  if (failed !== undefined) return failed;
  if (result.ending === "interrupted" || result.ending === "timed-out") return notDone(cut(result));
  if (result.ending === "resting") return notDone(restingLine(result));
  const open = result.outcomes
    .map((outcome) => tryUnfinishedLine(outcome, result))
    .find((line) => line !== undefined);
  return open === undefined
    ? { exitCode: exitCodes.done, line: drainedLine(result) }
    : notDone(open);
}

const notDone = (line: string): ReplayVerdict => ({ exitCode: exitCodes.notDone, line });

/** The verdict on a replay that a fault has ended: the fault, the remedy, and where the message is. */
export function tryFailed(result: ReplayResult, request: ReplaySource): ReplayVerdict | undefined {
  const fault = tryFault(result, request);
  if (fault === undefined) return undefined;
  return { exitCode: exitCodes.fault, line: [...fault, ...whereaboutsOf(result)].join("; ") };
}

/** The fault that ended the replay, and the remedy. Faults that a later pass recovered from do not count. */
function tryFault(
  { ending, happenings }: ReplayResult,
  request: ReplaySource,
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

/** The path of the one message that the function could not read; empty if there are several messages. */
function placeOf({ event, messages }: ReplaySource): readonly string[] {
  const [only, ...others] = messages;
  if (only === undefined || others.length > 0) return [];
  return [`the message is ${only.place === "" ? "" : `${only.place} of `}${event}`];
}

/** Where the unfinished messages are; empty if there are none. */
function whereaboutsOf({ via, whereabouts }: ReplayResult): readonly string[] {
  if (via === "direct")
    return ["it did not come through a queue, so nothing delivers it again: replay it"];
  const { queue, waiting, deadLetterQueue, deadLetters } = whereabouts;
  const receives = Math.max(0, ...waiting);
  return [
    ...(waiting.length === 0
      ? []
      : [`${inQueue(waiting.length)} in queue ${queue}, received ${times(receives)}`]),
    ...(deadLetters === 0
      ? []
      : [`${inQueue(deadLetters)} in the dead letters, ${deadLetterQueue}`]),
  ];
}

const inQueue = (count: number): string =>
  count === 1 ? "the message waits" : `${count} messages wait`;

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);

/** Says what was done, in one line. */
function drainedLine(result: ReplayResult): string {
  const { happenings, from, to, outcomes } = result;
  const done = ofKind(happenings, "notice-done").at(-1)?.at ?? to;
  const took = clock(between(from, done));
  if (outcomes.every(({ kind }) => kind === "tested")) return `acknowledged in ${took}`;
  const joined = outcomes.find((outcome) => outcome.kind === "joined");
  if (joined !== undefined)
    return `${shortName(joined.node)} joined and is ready in ${took}${completion(happenings)}`;
  const other = outcomes.find(isOther);
  if (other !== undefined)
    return `${wordsOfOutcome(other)}${reopening(happenings)}${completion(happenings)}`;
  const [node] = ofKind(happenings, "node-marked");
  const left = podsGone(happenings).length;
  const again = ofKind(happenings, "pod-running").filter(({ replaces }) => replaces !== "").length;
  return `drained ${shortName(node?.node ?? "the node")} in ${took}${spare(result, done)}: ${counted(left, "pod")} gone, ${again} running elsewhere${forcedWords(result)}${lateWords(outcomes)}${completion(happenings)}`;
}

const lateWords = (outcomes: ReplayResult["outcomes"]): string =>
  outcomes.map((outcome) => (outcome.kind === "unfinished" ? "" : lateness(outcome))).join("");

/** True if an outcome is not about a drain, so that its own words say what was done. */
const isOther = (outcome: AnsweredOutcome): outcome is Outcome =>
  !["drained", "forced", "tested", "unfinished"].includes(outcome.kind);

/** The time between the end of an unheld node's drain and its deadline. */
function spare({ happenings }: ReplayResult, done: Instant): string {
  if (completion(happenings) !== "") return "";
  const marks = [...ofKind(happenings, "node-marked"), ...ofKind(happenings, "mark-tightened")];
  const deadline = tryInstantOf(marks.at(-1)?.deadline ?? "");
  return deadline === undefined ? "" : `, ${spoken(between(done, deadline))} before its deadline`;
}

/** When a node that is only cordoned is uncordoned. */
function reopening(happenings: ReplayResult["happenings"]): string {
  const [cordoned] = ofKind(happenings, "node-cordoned");
  return cordoned === undefined ? "" : `, at ${cordoned.until}`;
}

/** The event that a notice waits for when it comes back after the time limit. */
function restingLine({ happenings }: ReplayResult): string {
  const last = ofKind(happenings, "pass-ended").at(-1);
  return last === undefined
    ? "nothing to do yet"
    : [`nothing to do for ${spoken(last.wait)}`, ...noteLines(last.left)].join("; ");
}

/** The pods that were deleted against a budget or a protection, in any pass, one line each. */
export const forcedIn = ({ happenings }: Pick<ReplayResult, "happenings">): readonly string[] =>
  ofKind(happenings, "pod-deleted")
    .filter(({ past }) => past !== "")
    .map(({ pod, past }) => `${pod}: deleted past ${past}`);

const forcedWords = (result: ReplayResult): string =>
  forcedIn(result)
    .map((line) => `, ${line}`)
    .join("");

function completion(happenings: ReplayResult["happenings"]): string {
  const [hook] = ofKind(happenings, "hook-completed");
  return hook === undefined ? "" : `, ${hook.action.hook} completed with ${hook.result}`;
}

/** Why a notice is not done although there was no fault; `undefined` if it is done. */
function tryUnfinishedLine(outcome: AnsweredOutcome, result: ReplayResult): string | undefined {
  if (outcome.kind === "unfinished") {
    const { left } = result;
    const why =
      left.length === 0
        ? restingLine(result)
        : `not finished within one invocation: ${left.join(", ")}`;
    return `${why}; replay it through the queue, which brings it again`;
  }
  const row = rowOf(outcome);
  if (row.exit === "done") return undefined;
  return `${row.advice(outcome, result.happenings)} (docs/runbook.md#${runbookAnchor(outcome.kind)})`;
}
