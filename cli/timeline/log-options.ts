import { CloudWatchLogsClient, FilterLogEventsCommand } from "@aws-sdk/client-cloudwatch-logs";
import { Argument, type Command, InvalidArgumentError, Option } from "commander";
import { teaching } from "../../lambda/aws/taught-client.ts";
import {
  type Duration,
  hours,
  type Instant,
  instant,
  later,
  milliseconds,
  tryDurationOf,
  tryInstantOf,
} from "../../lambda/base/time.ts";
import { ServerClock } from "../../lambda/process/server-clock.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { CommandFailure } from "../command-failure.ts";
import { type AwsAccess, awsAt } from "../connect/aws-access.ts";
import { clockWords } from "../connect/clock-words.ts";
import type { DeploymentOptions } from "../connect/connection-options.ts";
import { deploymentAt } from "../connect/deployment-at.ts";
import { exitCodes } from "../exit-code.ts";
import type { Io } from "../io.ts";
import { type LogRange, meansFile, meansInstance } from "./log-source.ts";

/** The options for a log, and since when to read it. */
export interface LogOptions
  extends Pick<DeploymentOptions, "json" | "profile" | "region" | "stack"> {
  readonly cluster?: string;
  readonly logGroup?: string;
  readonly since?: Since;
  readonly follow?: true;
}

/** A time, or how long ago it was, by the clock of those who wrote the log. */
type Since = { readonly at: Instant } | { readonly ago: Duration };

/** Adds the argument and the options for a log. */
export const addLogOptions = (command: Command): Command =>
  command
    .addArgument(
      new Argument(
        "<instance|group|file>",
        "an instance or an upgraded group, whose lines are read from CloudWatch; or a file of lines, - for standard input",
      ),
    )
    .option("--cluster <name>", "the cluster, by whose stack the function's log group is found")
    .option("--stack <name>", "the stack of the deployment, if it is not EksNodeLifecycle-CLUSTER")
    .option("--log-group <name>", "the log group itself: the stack's output LogGroupName")
    .addOption(
      new Option(
        "--since <time>",
        "read from this time on: a timestamp, or how long ago, such as 90m or 12h (by default 49h; of a file, all)",
      ).argParser(sinceOf),
    )
    .option("--region <region>", "the Region of the log group, if it is not the usual one")
    .option("--profile <profile>", "the profile of the AWS CLI to sign in with")
    .option("--json", "write one JSON object on each line");

// A hook holds an instance for 48 hours at most.
const longestDrain = hours(49);

// JavaScript would also accept a text such as 90, as the year 1990.
const dated = /^\d{4}-\d{2}-\d{2}/;

function sinceOf(text: string): Since {
  const ago = tryDurationOf(text);
  if (ago !== undefined && ago >= 0) return { ago };
  const at = dated.test(text) ? tryInstantOf(text) : undefined;
  if (at !== undefined) return { at };
  throw new InvalidArgumentError("Give a timestamp such as 2026-11-20T10:00:00Z, or 90m or 12h.");
}

/** The requested part of the log. Ends with a usage error if the options do not say it. */
export async function wantedOf(
  target: string,
  given: LogOptions,
  where: CommandAndIo,
): Promise<LogRange> {
  const subject = subjectOf(target, given, where.io);
  if (subject === "file") {
    if (given.follow) return misuse("--follow goes with an instance, not with a file", where);
    const kind = target === "-" ? "standard input" : "file";
    const { since: wanted = { at: instant(0) } } = given;
    return { source: { kind, path: target }, since: timeOf(wanted, systemClock.now()) };
  }
  const clock = new ServerClock(systemClock);
  const access = { ...awsAt(given), ...teaching(clock) };
  const group = await groupOf(target, outputs[subject], { given, access }, where);
  if (!clock.taught) await askForTime(group, access);
  tellClock(clock, where.io);
  const since = timeOf(given.since ?? { ago: longestDrain }, clock.now());
  const end = given.follow ? "follow" : "as it is";
  const place = { group, pattern: patterns[subject](target), access };
  return { source: { kind: "cloudwatch", ...place, since, end }, since };
}

const timeOf = (since: Since, now: Instant): Instant =>
  "at" in since ? since.at : later(now, milliseconds(-since.ago));

/** The function writes by AWS' time, so what is so long ago is so by AWS' time. */
function tellClock(clock: ServerClock, { stderr }: Io): void {
  const words = clockWords(clock.difference(), "AWS'");
  if (words !== "") stderr.writeLine(`note: ${words}; all times here are AWS'`);
}

/** Any answer has the time, so nothing is read. The read that follows reports a refusal. */
async function askForTime(logGroupName: string, access: AwsAccess): Promise<void> {
  const client = new CloudWatchLogsClient({ ...access, maxAttempts: 1 });
  const nothing = { logGroupName, limit: 1, startTime: 1, endTime: 2 };
  await client.send(new FilterLogEventsCommand(nothing)).catch(() => undefined);
}

/**
 * Tells a file, an instance and a group apart. A name that is no file is a group if the options say where the log is.
 */
function subjectOf(target: string, given: LogOptions, io: Io): "file" | "group" | "instance" {
  if (meansInstance(target, io)) return "instance";
  const isPlaced = given.cluster !== undefined || given.logGroup !== undefined;
  return isPlaced && !meansFile(target, io) ? "group" : "file";
}

const outputs = { instance: "LogGroupName", group: "UpgradeLogGroupName" } as const;

/** Every entry names its instance, and every entry of an upgrade its group. */
const patterns = {
  instance: (id: string) => `"${id}"`,
  group: (name: string) => `{ $.group = "${name}" }`,
} as const;

async function groupOf(
  target: string,
  name: (typeof outputs)[keyof typeof outputs],
  { given, access }: { readonly given: LogOptions; readonly access: AwsAccess },
  where: CommandAndIo,
): Promise<string> {
  if (given.logGroup !== undefined) return given.logGroup;
  if (given.cluster === undefined)
    return misuse(`the log of ${target} is in CloudWatch: give --cluster or --log-group`, where);
  const { output } = await deploymentAt(given.cluster, access, given);
  const found = output(name);
  if (found.kind === "known") return found.value;
  throw new CommandFailure(found.why, `${found.remedy}, or the log group with --log-group`);
}

const misuse = (complaint: string, { command }: CommandAndIo): never =>
  command.error(`error: ${complaint}`, { exitCode: exitCodes.usage });

interface CommandAndIo {
  readonly command: Command;
  readonly io: Io;
}
