import * as z from "zod/mini";
import { longestHold } from "../domain/notice/drain-deadline.ts";
import { type Duration, seconds, wholeSeconds } from "../domain/time.ts";
import type { Form, ValueOf } from "./form.ts";
import { selectorSchema } from "./selector-schema.ts";
import { hookSettings } from "./settings.ts";
import { taintSchema } from "./taint-schema.ts";
import { jsonList } from "./variables.ts";

/** The schema for the text of a variable of such a form. `heartbeat` gives the heartbeat timeout of the hooks. */
export function schemaOf(form: Form, heartbeat: () => Duration): z.ZodMiniType<ValueOf<Form>> {
  switch (form.kind) {
    case "held-seconds":
      return heldSeconds(form.least, heartbeat());
    case "seconds":
      return secondsIn(form);
    case "number":
      return wholeNumber(form);
    case "word":
      return z.enum(form.words, form.words.map((word) => JSON.stringify(word)).join(" or "));
    case "words": {
      const expected = `a JSON list of ${form.called}, of ${form.words.join(" and ")}`;
      return jsonList(z.enum(form.words, expected), expected);
    }
    case "taint-keys": {
      const expected = `a JSON list of taint keys, such as ["${form.example}"]`;
      return jsonList(z.string(expected).check(z.regex(/^[^\s=:]+$/, expected)), expected);
    }
    case "label-selector":
      return selectorSchema(form.example);
    case "taint":
      return taintSchema(form.example);
  }
}

interface Range {
  readonly least: number;
  readonly most: number;
}

const secondsIn = (range: Range, reason = "") =>
  z.pipe(wholeNumber({ ...range, unit: "seconds" }, reason), z.transform(seconds));

/** Accepts a number in a range; `reason` says in a refusal why the range ends there. */
function wholeNumber({ unit, least, most }: Range & { readonly unit: string }, reason = "") {
  const fits = (text: string) =>
    /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most;
  const expected = `a whole number of ${unit} from ${least} to ${most}${reason}`;
  return z.pipe(z.string().check(z.refine(fits, expected)), z.transform(Number));
}

/** Accepts as many seconds as a hook with this heartbeat timeout can hold an instance. */
function heldSeconds(least: number, heartbeat: Duration) {
  const { key, default: usual } = hookSettings.heartbeat;
  const most = wholeSeconds(longestHold(heartbeat));
  const reason = `, which is all that a hook holds with ${key}=${wholeSeconds(heartbeat)}`;
  const longest = wholeSeconds(longestHold(seconds(usual)));
  return secondsIn({ least, most }, most < longest ? reason : "");
}
