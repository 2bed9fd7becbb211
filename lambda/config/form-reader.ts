import { type Duration, seconds, wholeSeconds } from "../base/time.ts";
import { longestHold } from "../drain/drain-deadline.ts";
import { tryNodeCount } from "../group/node-count.ts";
import type { Form, ValueOf } from "./form.ts";
import { overrideList } from "./repair-overrides.ts";
import { selectorLike } from "./selector.ts";
import { hookSettings } from "./settings.ts";
import { taintLike } from "./taint.ts";
import { jsonList, type TextReader, textReader } from "./text-reader.ts";

/** What reads the text of a variable of such a form. `heartbeat` gives the heartbeat timeout of the hooks. */
export function readerOf(form: Form, heartbeat: () => Duration): TextReader<ValueOf<Form>> {
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
      return jsonList(`a JSON list of taint keys, such as ["${form.example}"]`, isTaintKey);
    case "label-selector":
      return selectorLike(form.example);
    case "taint":
      return taintLike(form.example);
    case "node-count":
      return textReader(
        `a number of nodes from 1 to 100, or a percentage such as ${form.example}`,
        tryNodeCount,
      );
    case "repair-overrides":
      return overrideList;
  }
}

interface Range {
  readonly least: number;
  readonly most: number;
}

const secondsIn = (range: Range, reason = ""): TextReader<Duration> =>
  numberReader({ ...range, unit: "seconds", reason }, seconds);

const wholeNumber = (range: Range & { readonly unit: string }): TextReader<number> =>
  numberReader({ ...range, reason: "" }, (number) => number);

interface NumberForm extends Range {
  readonly unit: string;
  /** Says in a refusal why the range ends there. */
  readonly reason: string;
}

const numberReader = <T>(
  { unit, least, most, reason }: NumberForm,
  made: (number: number) => T,
): TextReader<T> =>
  textReader(`a whole number of ${unit} from ${least} to ${most}${reason}`, (text) => {
    const fits = /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most;
    return fits ? made(Number(text)) : undefined;
  });

/** Accepts as many seconds as a hook with this heartbeat timeout can hold an instance. */
function heldSeconds(least: number, heartbeat: Duration): TextReader<Duration> {
  const { key, default: usual } = hookSettings.heartbeat;
  const most = wholeSeconds(longestHold(heartbeat));
  const reason = `, which is all that a hook holds with ${key}=${wholeSeconds(heartbeat)}`;
  const longest = wholeSeconds(longestHold(seconds(usual)));
  return secondsIn({ least, most }, most < longest ? reason : "");
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
  jsonList(`a JSON list of ${called}, of ${words.join(" and ")}`, (item): item is string =>
    words.some((word) => word === item),
  );

const isTaintKey = (item: unknown): item is string =>
  typeof item === "string" && /^[^\s=:]+$/.test(item);
