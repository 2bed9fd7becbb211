import { type Command, InvalidArgumentError, Option } from "commander";
import { seconds, tryDurationOf, wholeSeconds } from "../../lambda/base/time.ts";
import { type Form, textOf } from "../../lambda/config/form.ts";
import { readSettings } from "../../lambda/config/form-reader.ts";
import { drainPolicyIn } from "../../lambda/config/policies.ts";
import { drainSettings, hookSettings } from "../../lambda/config/settings.ts";
import {
  complaintOf,
  UnfitVariable,
  type Variables,
  wordsOf,
} from "../../lambda/config/variables.ts";
import { longestHold } from "../../lambda/drain/drain-deadline.ts";
import type { DrainSettings } from "../../lambda/drain/drain-policy.ts";
import { exitCodes } from "../exit-code.ts";

/** The drain settings that are flags of the command, with their help texts. */
const flags = {
  timeout: ["--deadline <time>", "how long the drain of a node may take, such as 30m"],
  force: ["--force <when>", "delete pods that would outlast the deadline, whatever budgets say"],
  podSelector: ["--pod-selector <selector>", "evict only the pods with these labels"],
  stopOn: ["--stop-on <kinds>", "protect pods that kubectl drain stops on: bare,empty-dir"],
  daemonSets: ["--daemonsets <what>", "evict the pods of DaemonSets too; this needs a --taint"],
  taint: ["--taint <taint>", "a taint besides the cordon, such as example.com/x=true:NoSchedule"],
  tiers: ["--tiers <order>", "whether critical pods wait for the ordinary ones"],
  settle: ["--settle <time>", "how long after the mark a node does not yet count as empty"],
  volumeTimeout: ["--volume-timeout <time>", "how long volumes may take to detach; 0s: no wait"],
  targetTimeout: ["--target-timeout <time>", "how long to wait for load balancers; 0s: no wait"],
  deregister: ["--deregister <when>", "deregister the instance from its load balancers"],
  makeRoom: ["--make-room <which>", "first add a pod elsewhere where a budget allows no eviction"],
  concurrency: ["--concurrency <number>", "how many evictions may be under way at once"],
} as const satisfies Partial<Record<keyof DrainSettings | "taint", readonly [string, string]>>;

type Flag = keyof typeof flags;

const isFlag = (name: string): name is Flag => name in flags;
const rows = Object.entries(drainSettings).flatMap(([name, row]) =>
  isFlag(name) ? [{ name, row, flag: flags[name][0], says: flags[name][1] }] : [],
);

// The user is at the terminal, and can decide about each budget.
const usual: Variables = { [drainSettings.force.key]: "never" };

/** Adds the flags of the drain settings. Each value is checked as the function checks its environment. */
export function addDrainFlags(command: Command): Command {
  for (const { row, flag, says } of rows) {
    const { form, key } = row;
    const option = new Option(flag, `${says} (default: ${usual[key] ?? defaultOf(row)})`);
    if (form.kind === "word") option.choices(form.words);
    command.addOption(option.argParser((text) => checked(key, form, text)));
  }
  return command;
}

const defaultOf = ({ form, default: value }: (typeof rows)[number]["row"]): string => {
  const text = textOf(value);
  if (isTime(form)) return `${text}s`;
  return text === "" || text === "[]" ? "none" : text;
};

/** Converts a value that the user gave into the text of the environment variable. */
function checked(key: string, form: Form, given: string): string {
  const text = variableOf(form, given);
  const unfit = tryUnfit(key, text);
  if (unfit === undefined) return text;
  // The variable is in seconds, and the user gives a duration.
  const said = isTime(form)
    ? `a time from ${form.least}s to ${mostOf(form)}s, got ${given}`
    : `${wordsOf(unfit.expected, flagOf)}, got ${unfit.got}`;
  throw new InvalidArgumentError(`Expected ${said}.`);
}

type TimeForm = Extract<Form, { readonly kind: "held-seconds" | "seconds" }>;

const isTime = (form: Form): form is TimeForm =>
  form.kind === "seconds" || form.kind === "held-seconds";

const mostOf = (form: TimeForm): number =>
  form.kind === "seconds"
    ? form.most
    : wholeSeconds(longestHold(seconds(hookSettings.heartbeat.default)));

/** Returns the problem with the value of a drain setting or of the hooks' heartbeat. */
export function tryUnfit(key: string, text: string): UnfitVariable | undefined {
  const settings = { ...drainSettings, heartbeat: hookSettings.heartbeat };
  const row = Object.entries(settings).filter(([, { key: its }]) => its === key);
  try {
    readSettings(Object.fromEntries(row), { [key]: text });
    return undefined;
  } catch (cause) {
    if (cause instanceof UnfitVariable) return cause;
    throw cause;
  }
}

function variableOf(form: Form, text: string): string {
  if (form.kind === "words") return JSON.stringify(text.split(",").filter((word) => word !== ""));
  if (!isTime(form)) return text;
  const duration = tryDurationOf(text);
  if (duration === undefined) throw new InvalidArgumentError("Give a time such as 90s or 30m.");
  return String(wholeSeconds(duration));
}

/** The drain settings of the command. Ends with a usage error if they contradict each other. */
export function drainSettingsOf(command: Command): DrainSettings {
  const given = command.opts<Readonly<Record<string, string | undefined>>>();
  const own = rows.flatMap(({ row, flag }) => {
    const text = given[new Option(flag).attributeName()];
    return text === undefined ? [] : [[row.key, text]];
  });
  try {
    return drainPolicyIn({ ...usual, ...Object.fromEntries(own) }, []).settingsFor({}).settings;
  } catch (cause) {
    if (!(cause instanceof UnfitVariable)) throw cause;
    return command.error(`error: reading ${complaintOf(cause, flagOf)}`, {
      exitCode: exitCodes.usage,
    });
  }
}

/** The flag of a setting. */
function flagOf(key: string): string {
  const { flag = key } = rows.find(({ row }) => row.key === key) ?? {};
  return flag.replace(/ .*/, "");
}
