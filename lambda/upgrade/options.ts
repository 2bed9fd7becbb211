import { minutes, seconds } from "../base/time.ts";
import { optionRows } from "./option-rows.ts";
import type { UpgradeOptions } from "./request.ts";

/** The options of an upgrade in words, by names such as `max-unavailable`. The words are what a tag of a group may say. */
export type OptionWords = Readonly<Partial<Record<string, string>>>;

/** What the words of an upgrade mean, or which of them cannot be read. */
export type OptionsReading =
  | { readonly kind: "read"; readonly options: UpgradeOptions }
  | {
      readonly kind: "refused";
      readonly name: string;
      readonly text: string;
      readonly expected: string;
    };

/** The options of an upgrade of which nobody says more: as a managed node group would do it, one node at a time. */
export const usualOptions: UpgradeOptions = {
  maxUnavailable: { kind: "count", value: 1 },
  strategy: "DEFAULT",
  surge: "managed",
  order: "random",
  cordon: "by-room",
  canary: "none",
  ifBlocked: "fail",
  ifUnschedulable: "refuse",
  drainTimeout: minutes(15),
  afterDrain: seconds(60),
  lookEvery: seconds(15),
  window: "always",
  timeLimit: "none",
  maxUnready: 100,
  maxPending: 1000,
  maxAge: "any",
  check: { kind: "none" },
};

const optionNames: readonly string[] = Object.values(optionRows).map(({ name }) => name);

/** Writes options in words; an option that is as usual needs none. */
export function optionWords(options: UpgradeOptions): OptionWords {
  const entries = keys.map((key) => [optionRows[key].name, wordOf(key, options)] as const);
  return Object.fromEntries(entries.filter(([, word], at) => word !== usualWords[at]));
}

const keys = Object.keys(optionRows) as readonly (keyof UpgradeOptions)[];
const wordOf = <K extends keyof UpgradeOptions>(key: K, options: UpgradeOptions): string =>
  optionRows[key].write(options[key]);
const usualWords = keys.map((key) => wordOf(key, usualOptions));

/** Reads options from words; one that is missing is as usual. */
export function readOptions(words: OptionWords): OptionsReading {
  const [unknown] = Object.keys(words).filter((name) => !optionNames.includes(name));
  if (unknown !== undefined)
    return refused(unknown, words[unknown], `one of ${optionNames.join(", ")}`);
  const read = keys.map((key) => [key, meantBy(key, words)] as const);
  const bad = read.find(([, value]) => value === undefined);
  if (bad !== undefined) {
    const { name, expected } = optionRows[bad[0]];
    return refused(name, words[name], expected);
  }
  return checked(optionsOf(read));
}

function optionsOf(read: readonly (readonly [string, unknown])[]): UpgradeOptions;
// TypeScript cannot see that each value has the type of its row. A test reads every option instead.
function optionsOf(read: readonly (readonly [string, unknown])[]): object {
  return Object.fromEntries(read);
}

function meantBy(key: keyof UpgradeOptions, words: OptionWords): unknown {
  const word = words[optionRows[key].name];
  return word === undefined ? usualOptions[key] : optionRows[key].read(word);
}

/** `MINIMAL` never has more nodes than the group's size, so a surge of one's choice contradicts it. */
const checked = (options: UpgradeOptions): OptionsReading =>
  options.strategy === "MINIMAL" && options.surge !== "managed"
    ? refused("surge", String(options.surge), "no surge with the strategy MINIMAL")
    : { kind: "read", options };

const refused = (name: string, text = "", expected: string): OptionsReading => ({
  kind: "refused",
  name,
  text,
  expected,
});
