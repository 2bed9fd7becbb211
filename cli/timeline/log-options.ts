import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import {
  hours,
  type Instant,
  instant,
  tryDurationOf,
  tryInstantOf,
} from "../../lambda/domain/time.ts";
import { exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { type LogSource, meansInstance } from "./log-source.ts";

/** Where the log is and from when on it is read, as the user gave it. */
export interface LogOptions {
  readonly logGroup?: string;
  readonly since?: Instant;
  readonly region?: string;
  readonly profile?: string;
  readonly json?: true;
  readonly follow?: true;
}

/** Adds the argument and the options by which a command finds a log. */
export const addLogOptions = (command: Command): Command =>
  command
    .addArgument(
      new Argument(
        "<instance|file>",
        "an instance, whose lines are read from CloudWatch; or a file of lines, - for standard input",
      ),
    )
    .option("--log-group <name>", "the function's log group: the stack's output LogGroupName")
    .addOption(
      new Option(
        "--since <time>",
        "read from this time on: a timestamp, or how long ago, such as 90m or 12h",
      ).argParser(sinceOf),
    )
    .option("--region <region>", "the Region of the log group, if it is not the usual one")
    .option("--profile <profile>", "the profile of the AWS CLI to sign in with")
    .option("--json", "write one JSON object on each line");

// A hook holds an instance for 48 hours at most.
const longestDrain = hours(49);

function sinceOf(text: string): Instant {
  const ago = tryDurationOf(text);
  const at = ago === undefined ? tryInstantOf(text) : instant(Date.now() - ago);
  if (at !== undefined) return at;
  throw new InvalidArgumentError("Give a timestamp such as 2026-11-20T10:00:00Z, or 90m or 12h.");
}

/** A log, and since when it is read. */
export interface Wanted {
  readonly source: LogSource;
  readonly since: Instant;
}

/** Says what is to be read; ends with wrong usage where the options do not say it. */
export function wantedOf(target: string, given: LogOptions, { command, io }: Where): Wanted {
  const refuse = (complaint: string) =>
    command.error(`error: ${complaint}`, { exitCode: exitCodes.usage });
  if (!meansInstance(target, io)) {
    if (given.follow) return refuse("--follow goes with an instance, not with a file");
    const kind = target === "-" ? "standard input" : "file";
    return { source: { kind, path: target }, since: given.since ?? instant(0) };
  }
  const { logGroup: group, since = instant(Date.now() - longestDrain) } = given;
  if (group === undefined)
    return refuse(`the log of ${target} is in CloudWatch: name it with --log-group`);
  const end = given.follow ? "follow" : "as it is";
  return {
    source: { kind: "cloudwatch", group, instance: target, since, region: given, end },
    since,
  };
}

interface Where {
  readonly command: Command;
  readonly io: Io;
}
