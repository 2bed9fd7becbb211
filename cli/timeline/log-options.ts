import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import {
  hours,
  type Instant,
  instant,
  tryDurationOf,
  tryInstantOf,
} from "../../lambda/domain/time.ts";
import { CommandFailure } from "../command-failure.ts";
import { awsAt } from "../connect/aws-access.ts";
import { deploymentAt } from "../connect/deployment-at.ts";
import { exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { type LogSource, meansInstance } from "./log-source.ts";

/** Where the log is and from when on it is read, as the user gave it. */
export interface LogOptions {
  readonly cluster?: string;
  readonly stack?: string;
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
    .option("--cluster <name>", "the cluster, by whose stack the function's log group is found")
    .option("--stack <name>", "the stack of the deployment, if it is not EksNodeLifecycle-CLUSTER")
    .option("--log-group <name>", "the log group itself: the stack's output LogGroupName")
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
export async function wantedOf(target: string, given: LogOptions, where: Where): Promise<Wanted> {
  if (!meansInstance(target, where.io)) {
    if (given.follow) return misuse("--follow goes with an instance, not with a file", where);
    const kind = target === "-" ? "standard input" : "file";
    return { source: { kind, path: target }, since: given.since ?? instant(0) };
  }
  const { since = instant(Date.now() - longestDrain) } = given;
  const group = await groupOf(target, given, where);
  const end = given.follow ? "follow" : "as it is";
  const place = { group, instance: target, access: awsAt(given) };
  return { source: { kind: "cloudwatch", ...place, since, end }, since };
}

async function groupOf(target: string, given: LogOptions, where: Where): Promise<string> {
  if (given.logGroup !== undefined) return given.logGroup;
  if (given.cluster === undefined)
    return misuse(`the log of ${target} is in CloudWatch: give --cluster or --log-group`, where);
  const { output } = await deploymentAt(given.cluster, awsAt(given), given);
  const found = output("LogGroupName");
  if (found.kind === "known") return found.value;
  throw new CommandFailure(found.why, `${found.remedy}, or the log group with --log-group`);
}

const misuse = (complaint: string, { command }: Where): never =>
  command.error(`error: ${complaint}`, { exitCode: exitCodes.usage });

interface Where {
  readonly command: Command;
  readonly io: Io;
}
