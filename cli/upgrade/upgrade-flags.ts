import { type Command, InvalidArgumentError, Option } from "commander";
import { optionRows } from "../../lambda/upgrade/option-rows.ts";
import { type OptionWords, readOptions } from "../../lambda/upgrade/options.ts";
import type { UpgradeOptions, UpgradeTarget } from "../../lambda/upgrade/request.ts";
import { exitCodes } from "../exit-code.ts";

const windowFlag = [
  "window",
  "--window <times>",
  'when nodes may go, as "Sat-Sun 22:00-06:00" in UTC',
  "always",
] as const;

/** The options of an upgrade that take a value, with what the help says of each. */
const flags = [
  [
    "maxUnavailable",
    "--max-unavailable <count>",
    "how many old nodes go at a time, as 3 or 33%",
    "1",
  ],
  ["surge", "--surge <count>", "how many nodes more the group has meanwhile", "managed"],
  ["strategy", "--strategy <name>", "MINIMAL never has more nodes than the group", "DEFAULT"],
  ["order", "--order <order>", "which old nodes go first", "random"],
  ["cordon", "--cordon <when>", "cordon all old nodes first, or each one-by-one", "by-room"],
  ["drainTimeout", "--drain-timeout <time>", "how long the pods of a node have to leave", "15m"],
  ["afterDrain", "--after-drain <time>", "how long a drained node is kept before it ends", "60s"],
  ["lookEvery", "--look-every <time>", "how often it looks at what it waits for", "15s"],
  windowFlag,
  ["timeLimit", "--time-limit <time>", "how long the upgrade may take, as 36h", "none"],
  ["maxAge", "--max-age <time>", "replace nodes too that are older, as 720h", "any"],
  ["maxUnready", "--max-unready <count>", "hold while more nodes are not ready", "100"],
  ["maxPending", "--max-pending <count>", "hold while so many more pods are pending", "1000"],
  ["check", "--check <check>", "check new nodes by label:KEY=VALUE or http:PORT/PATH", "none"],
] as const satisfies readonly (readonly [keyof UpgradeOptions, string, string, string])[];

type Flag = (typeof flags)[number][0];

const targets = [
  {
    flag: "--ami <id>",
    says: "to a new version of the group's template with this image",
    form: /^ami-[\da-f]{8,17}$/,
    expected: "the id of an image, such as ami-0123456789abcdef0",
  },
  {
    flag: "--launch-template-version <version>",
    says: "to this version of the group's template",
    form: /^(?:\$Latest|\$Default|[1-9]\d{0,8})$/,
    expected: "the number of a version, or '$Latest' or '$Default' in quotes",
  },
  {
    flag: "--ssm <parameter>",
    says: "to a new version with the image that a parameter of SSM names",
    form: /^\/?[\w./-]{1,1000}$/,
    expected: "the name of an SSM parameter",
  },
] as const;

/** Adds the options that say to what and how a group is upgraded; each is checked as the function checks its message. */
export function addUpgradeFlags(command: Command): Command {
  for (const target of targets) command.addOption(targetOption(target));
  for (const flag of flags) command.addOption(optionOf(flag));
  return command
    .option("--canary", "validate the first new node alone, twice, before the rest")
    .option("--force", "terminate nodes in the end whose pods do not leave in time")
    .option("--allow-unschedulable", "begin although pods would find no node, even a new one");
}

const optionOf = ([name, flag, says, usual]: (typeof flags)[number]): Option =>
  new Option(flag, `${says} (default: ${usual})`).argParser((text) => checked(name, text));

/** The option of the maintenance window, as the message has it. */
export const windowOption = (): Option => optionOf(windowFlag);

/** An option that says to what a group is upgraded; only one of them makes sense. */
function targetOption({ flag, says, form, expected }: (typeof targets)[number]): Option {
  const others = targets.filter((other) => other.flag !== flag);
  return new Option(flag, says)
    .argParser((text) => {
      if (form.test(text)) return text;
      throw new InvalidArgumentError(`Expected ${expected}.`);
    })
    .conflicts(others.map((other) => new Option(other.flag).attributeName()));
}

/** The word of the message for what a person gave. */
function checked(name: Flag, text: string): string {
  const word = name === "window" ? windowWord(text) : text;
  const { expected, read } = optionRows[name];
  if (read(word) !== undefined) return word;
  throw new InvalidArgumentError(`Expected ${name === "window" ? windows : expected}.`);
}

const windows = 'always, or days and times in UTC such as "Sat-Sun 22:00-06:00"';
const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** A window as the message has it: `Sat-Sun 22:00-06:00` and `Mon,Tue 22:00-06:00` are `Sat+Sun/…` and `Mon+Tue/…`. */
function windowWord(text: string): string {
  const [, named = "", times] = /^([A-Za-z,+-]+)[ /]([\d:-]+)$/.exec(text) ?? [];
  if (times === undefined) return text;
  return `${named.split(/[,+]/).flatMap(daysIn).join("+")}/${times}`;
}

function daysIn(range: string): readonly string[] {
  const [from = "", to = from] = range.split("-");
  const [first, last] = [from, to].map((day) => days.indexOf(day));
  if (first === undefined || last === undefined || first < 0 || last < 0) return [range];
  const count = ((last - first + days.length) % days.length) + 1;
  return Array.from({ length: count }, (_, at) => days[(first + at) % days.length] ?? "");
}

/** To what a group is upgraded, and how. */
export interface Wanted {
  readonly to: UpgradeTarget;
  readonly options: UpgradeOptions;
}

interface Given extends Readonly<Partial<Record<Flag, string>>> {
  readonly ami?: string;
  readonly launchTemplateVersion?: string;
  readonly ssm?: string;
  readonly canary?: true;
  readonly force?: true;
  readonly allowUnschedulable?: true;
}

/** Reads what the user gave; what contradicts itself ends the command. */
export function wantedBy(command: Command): Wanted {
  const given = command.opts<Given>();
  const said = flags.map(([name]) => [optionRows[name].name, given[name]] as const);
  const words: OptionWords = {
    ...Object.fromEntries(said.filter(([, word]) => word !== undefined)),
    ...(given.canary && { canary: "first" }),
    ...(given.force && { "if-blocked": "force" }),
    ...(given.allowUnschedulable && { "if-unschedulable": "allow" }),
  };
  const reading = readOptions(words);
  if (reading.kind === "read") return { to: targetOf(given), options: reading.options };
  const { name, text, expected } = reading;
  return command.error(`error: --${name} ${text} does not go with the rest: expected ${expected}`, {
    exitCode: exitCodes.usage,
  });
}

function targetOf({ ami, launchTemplateVersion: version, ssm }: Given): UpgradeTarget {
  if (ami !== undefined) return { kind: "image", image: ami };
  if (ssm !== undefined) return { kind: "parameter", parameter: ssm };
  if (version === undefined) return { kind: "as-it-is" };
  const moving = version === "$Latest" || version === "$Default";
  return { kind: "version", version: moving ? version : Number(version) };
}
