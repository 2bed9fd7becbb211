import { accessSync, constants, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import {
  CloudWatchLogsClient,
  type FilteredLogEvent,
  paginateFilterLogEvents,
} from "@aws-sdk/client-cloudwatch-logs";
import type { Dated } from "../../journal/entry.ts";
import { tryReadEntry } from "../../journal/entry-schema.ts";
import type { Happening } from "../../journal/happening.ts";
import { tryReadLogLine } from "../../journal/log-line-schema.ts";
import { awsFault } from "../../lambda/aws/aws-fault.ts";
import type { Fault } from "../../lambda/base/fault.ts";
import {
  type Instant,
  instant,
  later,
  latest,
  seconds,
  timestamp,
} from "../../lambda/base/time.ts";
import type { CommandFailure } from "../command-failure.ts";
import type { AwsAccess } from "../connect/aws-access.ts";
import { type ExitCode, exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { pause } from "../pause.ts";
import { failureBy, remedyFor } from "../remedies.ts";
import { fileFailure } from "./write-page.ts";

/** The source of a log's lines. */
export type LogSource =
  | { readonly kind: "file" | "standard input"; readonly path: string }
  | {
      readonly kind: "cloudwatch";
      readonly group: string;
      readonly pattern: string;
      readonly since: Instant;
      readonly access: AwsAccess;
      /** `follow` waits for more lines until the user interrupts. */
      readonly end: "as it is" | "follow";
    };

/** A log, and since when to read it. */
export interface LogRange {
  readonly source: LogSource;
  readonly since: Instant;
}

export const meansInstance = (target: string, io: Pick<Io, "cwd">): boolean =>
  /^i-[0-9a-f]{1,17}$/.test(target) && !meansFile(target, io);

/** True if a target is an existing file or the standard input. */
export const meansFile = (target: string, { cwd }: Pick<Io, "cwd">): boolean =>
  target === "-" || isReadable(resolve(cwd, target));

function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return !statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** The lines of a log, the oldest first. */
function linesOf(source: LogSource, io: Io): AsyncIterable<string> | Iterable<string> {
  switch (source.kind) {
    case "file":
      return textLines(fileText(source.path, io.cwd));
    case "standard input":
      return inputLines(io);
    case "cloudwatch":
      return logLines(source, io.interrupted);
  }
}

const textLines = (text: string): readonly string[] =>
  text.split(/\r?\n/).filter((line) => line.trim() !== "");

async function* inputLines(io: Io) {
  yield* textLines(await io.readInput());
}

function fileText(path: string, cwd: string): string {
  try {
    return readFileSync(resolve(cwd, path), "utf8");
  } catch (cause) {
    const remedy =
      "name an instance, or a file that is there and that you may read; for the log of an Auto Scaling group, give --cluster or --log-group";
    throw fileFailure(`cannot read the log ${path}`, cause, remedy);
  }
}

type InCloudWatch = LogSource & { readonly kind: "cloudwatch" };

const between = seconds(2);
// Lines may reach CloudWatch out of order, by a few seconds.
const overlap = seconds(-10);

async function* logLines(source: InCloudWatch, interrupted: AbortSignal): AsyncGenerator<string> {
  const client = new CloudWatchLogsClient(source.access);
  const known = new Set<string>();
  let newest = source.since;
  do {
    const from = latest(source.since, later(newest, overlap));
    for await (const { id, at, message } of eventsOf(source, from, client)) {
      newest = latest(newest, at);
      if (!known.has(id)) yield message;
      known.add(id);
    }
    if (source.end === "as it is") return;
    await pause(between, interrupted);
  } while (!interrupted.aborted);
}

interface LogEventLine {
  readonly id: string;
  readonly at: Instant;
  readonly message: string;
}

async function* eventsOf(
  { group: logGroupName, pattern: filterPattern }: InCloudWatch,
  startTime: Instant,
  client: CloudWatchLogsClient,
): AsyncGenerator<LogEventLine> {
  const wanted = { logGroupName, startTime, filterPattern };
  try {
    for await (const { events = [] } of paginateFilterLogEvents({ client }, wanted))
      yield* events.map(lineOf);
  } catch (cause) {
    throw refused(awsFault(`reading the log group ${logGroupName}`, cause));
  }
}

const lineOf = ({
  eventId: id = "",
  timestamp: at = 0,
  message = "",
}: FilteredLogEvent): LogEventLine => ({
  id,
  at: instant(at),
  message: message.trimEnd(),
});

const refused = (fault: Fault): CommandFailure =>
  failureBy(fault, {
    "aws.denied": "allow logs:FilterLogEvents, or sign in with another role (--profile)",
    "aws.refused":
      "name the right log group (--log-group) and its Region (--region); the stack's output LogGroupName has it",
  });

const minuteOf = (at: Instant): string => `${timestamp(at).slice(0, 16).replace("T", " ")} UTC`;

/** The number of lines in a log that were entries, and of those that were not. */
export interface ReadLog {
  readonly entries: number;
  readonly others: number;
}

/** Yields every entry of a log since some time, and counts the other lines. */
export async function readLog(
  { source, since }: LogRange,
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

// A function that does not start knows no instance, so a search for one does not find this line of its journal.
const failedStarts = '{ $.code = "config.invalid" }';

/** The last fault since some time with which the function did not start. */
async function tryFailedStart(
  source: LogSource,
  since: Instant,
): Promise<(Dated & { readonly kind: "fault" }) | undefined> {
  if (source.kind !== "cloudwatch") return undefined;
  const client = new CloudWatchLogsClient(source.access);
  const starts = { ...source, pattern: failedStarts };
  let last: (Dated & { readonly kind: "fault" }) | undefined;
  for await (const { message } of eventsOf(starts, since, client)) {
    const entry = tryReadEntry(message);
    if (entry?.kind === "fault") last = entry;
  }
  return last;
}

/** Reports the lines that were no entries, and what to do if there was no entry; returns the exit code. */
export async function conclude(
  { entries, others }: ReadLog,
  { target, source, since }: LogRange & { readonly target: string },
  { stderr }: Io,
): Promise<ExitCode> {
  const lines = others === 1 ? "1 line is no entry" : `${others} lines are no entries`;
  if (others > 0) stderr.writeLine(`${lines} of the function's journal`);
  if (entries > 0) return exitCodes.done;
  stderr.writeLine(
    source.kind === "cloudwatch"
      ? `no entry of ${target} is in the log since ${minuteOf(since)}; look further back with --since, or at another log group`
      : `${target} has no entry of the function's journal; give it lines of the function's log group, and look further back if you gave --since`,
  );
  const start = await tryFailedStart(source, since);
  if (start !== undefined)
    stderr.writeLine(
      `at ${minuteOf(start.at)} the function did not start: ${start.message}; ${remedyFor(start.code)}`,
    );
  return exitCodes.notDone;
}
