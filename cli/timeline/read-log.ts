import type { Happening } from "../../journal/happening.ts";
import { tryReadLogLine } from "../../journal/log-line-schema.ts";
import { timestamp } from "../../lambda/base/time.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import type { Wanted } from "./log-options.ts";
import { linesOf } from "./log-source.ts";

/** What was read of a log: how many lines were entries, and how many others. */
export interface ReadLog {
  readonly entries: number;
  readonly others: number;
}

/** Tells every entry of a log since a time, and counts the lines that are no entries. */
export async function readLog(
  { source, since }: Wanted,
  io: Io,
  tell: (happening: Happening) => void,
): Promise<ReadLog> {
  let entries = 0;
  let others = 0;
  for await (const line of linesOf(source, io)) {
    const happening = tryReadLogLine(line);
    if (happening === undefined) others += 1;
    else if (happening.at >= since) {
      entries += 1;
      tell(happening);
    }
  }
  return { entries, others };
}

/** Says what a log had besides entries, and what to do if it had none; returns the exit code. */
export function conclude(
  { entries, others }: ReadLog,
  { target, source, since }: Wanted & { readonly target: string },
  { stderr }: Io,
): ExitCode {
  const lines = others === 1 ? "1 line is no entry" : `${others} lines are no entries`;
  if (others > 0) stderr.writeLine(`${lines} of the function's journal`);
  if (entries > 0) return exitCodes.done;
  stderr.writeLine(
    source.kind === "cloudwatch"
      ? `no entry of ${target} is in the log since ${timestamp(since).slice(0, 16).replace("T", " ")} UTC; look further back with --since, or at another log group`
      : `${target} has no entry of the function's journal; give it lines of the function's log group, and look further back if you gave --since`,
  );
  return exitCodes.notDone;
}
