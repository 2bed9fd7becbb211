import { labelName, taintKey } from "../base/labels.ts";
import { type Duration, seconds, wholeSeconds } from "../base/time.ts";
import { tryJson } from "../base/try-json.ts";
import type { Requirement, Selector } from "../drain/budget.ts";
import { longestHold } from "../drain/drain-deadline.ts";
import type { Taint } from "../drain/node.ts";
import { type OwnTaint, readOwnTaint } from "../drain/own-taint.ts";
import { tryNodeCount } from "../group/node-count.ts";
import {
  type FieldForm,
  type Fields,
  type Form,
  type ObjectWith,
  type SettingValue,
  textOf,
} from "./form.ts";
import type { Settings, ValuesOf } from "./setting.ts";
import { hookSettings } from "./settings.ts";
import { jsonList, type NameOf, type TextReader, textReader } from "./text-reader.ts";
import { readVariable, type Variables } from "./variables.ts";

/**
 * The reader for the text of a variable of this form. `heartbeat` gives the heartbeat timeout of
 * the hooks.
 */
function readerOf(form: Form, heartbeat: () => Duration): TextReader<SettingValue<Form>> {
  switch (form.kind) {
    case "held-seconds":
      return heldSeconds(form.least, heartbeat());
    case "seconds":
      return secondsIn(form);
    case "number":
      return wholeNumber(form);
    case "word":
      return oneOf(form.words);
    case "words":
      return someOf(form);
    case "taint-keys":
      return jsonList(
        `a JSON list of taint keys, such as ["${form.example}"], or with * at the end of one for all that begin so`,
        isTaintKeyOrPrefix,
      );
    case "label-selector":
      return selectorLike(form.example);
    case "taint":
      return taintLike(form.example);
    case "node-count":
      return textReader(
        `a number of nodes from 1 to 100, or a percentage such as ${form.example} (in a tag ${form.example.replace("%", "percent")})`,
        tryNodeCount,
      );
    case "objects":
      return jsonList(
        `a JSON list of ${form.called}, such as ${form.example}`,
        isObjectWith(form.fields),
      );
  }
}

interface Range {
  readonly least: number;
  readonly most: number;
}

const secondsIn = (range: Range): TextReader<Duration> =>
  numberReader({ ...range, unit: "seconds" }, seconds);

const wholeNumber = (range: Range & { readonly unit: string }): TextReader<number> =>
  numberReader(range, (number) => number);

const numberReader = <T>(
  {
    unit,
    least,
    most,
    reason = () => "",
  }: Range & {
    readonly unit: string;
    /** Says in a refusal why the range ends there. */
    readonly reason?: (nameOf: NameOf) => string;
  },
  made: (number: number) => T,
): TextReader<T> =>
  textReader(
    (nameOf) => `a whole number of ${unit} from ${least} to ${most}${reason(nameOf)}`,
    (text) => {
      const fits = /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most;
      return fits ? made(Number(text)) : undefined;
    },
  );

/** Accepts as many seconds as a hook with this heartbeat timeout can hold an instance. */
function heldSeconds(least: number, heartbeat: Duration): TextReader<Duration> {
  const { key, default: usual } = hookSettings.heartbeat;
  const most = wholeSeconds(longestHold(heartbeat));
  const isShort = most < wholeSeconds(longestHold(seconds(usual)));
  const reason = (nameOf: NameOf) =>
    isShort
      ? `, which is all that a hook holds with ${nameOf(key)}=${wholeSeconds(heartbeat)}`
      : "";
  return numberReader({ unit: "seconds", least, most, reason }, seconds);
}

const oneOf = (words: readonly string[]): TextReader<string> =>
  textReader(words.map((word) => JSON.stringify(word)).join(" or "), (text) =>
    words.find((word) => word === text),
  );

const someOf = ({
  called,
  words,
}: {
  readonly called: string;
  readonly words: readonly string[];
}) =>
  textReader(
    `a JSON list of ${called}, of ${words.join(" and ")}, or these with blanks between them, or "none"`,
    (text) => {
      const list = text === "none" ? [] : (tryJson(text) ?? text.split(" "));
      return Array.isArray(list) && list.every(isOneOf(words)) ? list : undefined;
    },
  );

const isOneOf =
  (words: readonly string[]) =>
  (item: unknown): item is string =>
    words.some((word) => word === item);

const isTaintKeyOrPrefix = (item: unknown): item is string =>
  typeof item === "string" && /^[^\s=:*]*(?:[^\s=:*/]|[^\s=:*]\*)$/.test(item);

const isObjectWith =
  (fields: Fields) =>
  (item: unknown): item is ObjectWith<Fields> => {
    const found: Readonly<Record<string, unknown>> = Object(item);
    const names = Object.keys(found);
    return (
      names.every((name) => Object.hasOwn(fields, name)) &&
      Object.entries(fields).every(([name, form]) => fitsField(found[name], form))
    );
  };

function fitsField(found: unknown, form: FieldForm): boolean {
  switch (form.kind) {
    case "text":
      return typeof found === "string" && found !== "";
    case "number":
      return isWhole(found) && found >= form.least && found <= form.most;
    case "word":
      return isOneOf(form.words)(found);
  }
}

const isWhole = (found: unknown): found is number => Number.isInteger(found);

const value = `(?:${labelName})?`;
const term = new RegExp(
  `^(?:!\\s*(?<absent>${taintKey})|(?<key>${taintKey})(?:\\s*(?<sign>==?|!=)\\s*(?<value>${value})|\\s+(?<word>in|notin)\\s*\\((?<values>[^()]*)\\))?)$`,
);
const setValue = new RegExp(`^${labelName}$`);
// A comma within brackets parts the values of a set.
const parting = /,(?![^(]*\))/;

/**
 * Reads a label selector as kubectl reads it; an empty text selects all. A refusal names `example`.
 * @see https://kubernetes.io/docs/concepts/overview/working-with-objects/labels/#list-and-watch-filtering
 */
const selectorLike = (example: string): TextReader<Selector> =>
  textReader(`empty, or a label selector such as ${example}`, (text) => {
    const requirements = tryRequirements(text);
    return requirements === undefined ? undefined : { kind: "labels", requirements };
  });

function tryRequirements(text: string): readonly Requirement[] | undefined {
  if (text.trim() === "") return [];
  const read = text.split(parting).map((part) => tryRequirement(part.trim()));
  const known = read.filter((requirement) => requirement !== undefined);
  return known.length === read.length ? known : undefined;
}

function tryRequirement(text: string): Requirement | undefined {
  const { groups } = term.exec(text) ?? {};
  if (groups === undefined) return undefined;
  const { absent, key = "", sign, word, value: one = "", values } = groups;
  const relation = sign ?? word;
  if (absent !== undefined) return { key: absent, operator: "DoesNotExist", values: [] };
  if (relation === undefined) return { key, operator: "Exists", values: [] };
  const operator = ["!=", "notin"].includes(relation) ? "NotIn" : "In";
  if (values === undefined) return { key, operator, values: [one] };
  const all = values.split(",").map((each) => each.trim());
  return all.every((each) => setValue.test(each)) ? { key, operator, values: all } : undefined;
}

/** Reads a taint written as `key=value:effect`; an empty text is no taint. A refusal names `example`. */
const taintLike =
  (example: string): TextReader<readonly Taint[]> =>
  (text) => {
    const own = readOwnTaint(text);
    return own.kind === "read"
      ? { kind: "read", value: own.taints }
      : { kind: "refused", expected: `${expected[own.kind]} such as ${example}` };
  };

const expected: Readonly<Record<Exclude<OwnTaint["kind"], "read">, string>> = {
  "no-taint": "empty, or a taint",
  "others-key": "a taint with a key of your own,",
  evicts: "a taint that evicts no pod, because NoExecute asks no budget,",
};

/** Reads some settings from the environment. A setting whose variable is missing has its default. */
export function readSettings<S extends Settings>(settings: S, variables: Variables): ValuesOf<S>;
// TypeScript cannot see that each value has the type of its row. A test reads a value for every row instead.
export function readSettings(settings: Settings, variables: Variables) {
  return Object.fromEntries(
    Object.entries(settings).map(([name, { key, form, default: usual }]) => [
      name,
      readVariable(key, variables[key] ?? textOf(usual), readerIn(variables, form)),
    ]),
  );
}

/**
 * Makes the reader of texts of this form. The environment matters, because it says how long a hook
 * can hold an instance.
 */
export const readerIn = (variables: Variables, form: Form): TextReader<SettingValue<Form>> =>
  readerOf(form, () => readSettings(hookSettings, variables).heartbeat);
