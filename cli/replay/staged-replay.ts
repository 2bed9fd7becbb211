import { ofKind, podsGone } from "../../journal/happening.ts";
import { between, type Duration, later } from "../../lambda/base/time.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { Io } from "../io.ts";
import { type EndOf, type Report, reportFor } from "../progress/report.ts";
import type { TerminalRow } from "../terminal/output.ts";
import type { ReplayRequest, ReplayResult } from "./replay-request.ts";
import type { SavedMessage } from "./saved-event-schema.ts";
import { forcedIn, type ReplayVerdict } from "./verdict.ts";

/** The steps of a replay in its own sandbox. */
export interface Stage {
  /** Starts the sandbox, with the functions as they are deployed. */
  readonly start: () => Promise<Sandbox>;
  readonly run: (sandbox: Sandbox, interrupted: AbortSignal) => Promise<ReplayResult>;
  readonly judge: (result: ReplayResult) => ReplayVerdict;
  /** Draws the result for a terminal, without the verdict. */
  readonly draw: (result: ReplayResult, width: number) => readonly TerminalRow[];
}

/** The replay that a subject has for its own messages. */
export interface OwnReplay {
  /** The work that the messages ask for, such as `an upgrade`. */
  readonly of: string;
  readonly isOf: (message: SavedMessage) => boolean;
  /** The default time limit of the replay. */
  readonly timeout: Duration;
  readonly stage: (request: Pick<ReplayRequest, "event" | "messages" | "timeout">) => Stage;
}

/** A replay that has ended. */
interface Replayed {
  readonly result: ReplayResult;
  readonly verdict: ReplayVerdict;
}

type How = Pick<ReplayRequest, "event" | "format" | "timeout" | "via"> & {
  /** The fault that is injected on purpose; empty for none. */
  readonly broken: string;
};

/** Replays an event in a new sandbox, and reports its progress. */
export async function stagedReplay(how: How, stage: Stage, io: Io): Promise<Replayed> {
  const { event, via, broken, format } = how;
  const report = reportFor("replay", format, io);
  const way = via === "queue" ? "through topic and queue" : "by direct invocation";
  report.say(`replaying ${event} ${way}`);
  if (broken !== "") report.say(`broken on purpose: ${broken}`, "careful");
  report.start("the sandbox");
  try {
    const sandbox = await stage.start();
    return await played(how, stage, sandbox, report, io).finally(() => sandbox.close());
  } finally {
    report.close();
  }
}

async function played(
  { timeout }: How,
  stage: Stage,
  sandbox: Sandbox,
  report: Report,
  io: Io,
): Promise<Replayed> {
  const from = sandbox.aws.timeline.now();
  const until = later(from, timeout);
  report.begin({ ...replayWords, from, until });
  const hush = sandbox.onHappening((happening) => report.tell(happening));
  const result = await stage.run(sandbox, io.interrupted);
  hush();
  const verdict = stage.judge(result);
  report.end(summaryOf(result, verdict), { drawing: (width) => stage.draw(result, width) });
  return { result, verdict };
}

/** The words of a replay that is still running. */
export const replayWords = { awaited: "for the function", limit: "the replay ends" };

/** The summary of a replay, for programs. */
export const summaryOf = (
  result: ReplayResult,
  { exitCode, line }: ReplayVerdict,
): EndOf<"summary"> => ({
  kind: "summary",
  exitCode,
  line,
  ending: result.ending,
  elapsed: between(result.from, result.to) / 1000,
  outcomes: result.outcomes,
  completed: ofKind(result.happenings, "hook-completed").map(({ action, result: how }) => ({
    ...action,
    result: how,
  })),
  gone: podsGone(result.happenings),
  forced: forcedIn(result),
  left: result.left,
  ...result.whereabouts,
});
