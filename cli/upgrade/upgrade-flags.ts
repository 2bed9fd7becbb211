import { type Command, InvalidArgumentError, Option } from "commander";
import { readOptions, type UpgradeOptions, upgradeOptions } from "../../lambda/upgrade/options.ts";
import type { UpgradeTarget } from "../../lambda/upgrade/upgrade-message.ts";
import { exitCodes } from "../exit-code.ts";

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

/** Adds the options of an upgrade. Each value is checked as the function checks its message. */
export function addUpgradeFlags(command: Command): Command {
  for (const target of targets) command.addOption(targetOption(target));
  for (const row of rows) command.addOption(optionOf(row));
  return command;
}

const rows = Object.values(upgradeOptions);

function optionOf({ flag, says, usual, otherwise, ...row }: (typeof rows)[number]): Option {
  if (otherwise !== "") return new Option(flag, says);
  return new Option(flag, `${says} (default: ${usual})`).argParser((text) => checked(row, text));
}

export const windowOption = (): Option => optionOf(upgradeOptions.window);

/** An option for the target of an upgrade. Only one of them can be given. */
function targetOption({ flag, says, form, expected }: (typeof targets)[number]): Option {
  const others = targets.filter((other) => other.flag !== flag);
  return new Option(flag, says)
    .argParser((text) => {
      if (form.test(text)) return text;
      throw new InvalidArgumentError(`Expected ${expected}.`);
    })
    .conflicts(others.map((other) => new Option(other.flag).attributeName()));
}

/** Converts a value that the user gave into the word of the message. */
function checked(
  { name, expected, read }: Pick<(typeof rows)[number], "expected" | "name" | "read">,
  text: string,
): string {
  const word = name === "window" ? windowWord(text) : text;
  if (read(word) !== undefined) return word;
  throw new InvalidArgumentError(`Expected ${name === "window" ? windows : expected}.`);
}

const windows = "always, or days and times in UTC such as Sat-Sun/22:00-06:00";
const days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** The window in the form of the message: `Sat-Sun 22:00-06:00` and `Mon,Tue 22:00-06:00` become `Sat+Sun/…` and `Mon+Tue/…`. */
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

/** The target of an upgrade, and its options. */
export interface UpgradeRequest {
  readonly to: UpgradeTarget;
  readonly options: UpgradeOptions;
}

type UpgradeFlags = Readonly<Partial<Record<string, string | true>>>;
type TargetFlags = Readonly<Partial<Record<"ami" | "launchTemplateVersion" | "ssm", string>>>;

/** Reads the options. Ends with a usage error if they contradict each other. */
export function wantedBy(command: Command): UpgradeRequest {
  const given = command.opts<UpgradeFlags & TargetFlags>();
  const said = rows.flatMap(({ name, flag, otherwise }) => {
    const word = given[new Option(flag).attributeName()];
    return word === undefined ? [] : [[name, word === true ? otherwise : word] as const];
  });
  const reading = readOptions(Object.fromEntries(said));
  if (reading.kind === "read") return { to: targetOf(given), options: reading.options };
  const { name, text, expected } = reading;
  return command.error(`error: --${name} ${text} does not go with the rest: expected ${expected}`, {
    exitCode: exitCodes.usage,
  });
}

function targetOf({ ami, launchTemplateVersion: version, ssm }: TargetFlags): UpgradeTarget {
  if (ami !== undefined) return { kind: "image", image: ami };
  if (ssm !== undefined) return { kind: "parameter", parameter: ssm };
  if (version === undefined) return { kind: "as-it-is" };
  const moving = version === "$Latest" || version === "$Default";
  return { kind: "version", version: moving ? version : Number(version) };
}
