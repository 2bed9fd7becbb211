import * as z from "zod/mini";
import { longestHold } from "../domain/notice/drain-deadline.ts";
import { type Duration, seconds, wholeSeconds } from "../domain/time.ts";
import type { Form, ValueOf } from "./form.ts";
import { hookSettings } from "./settings.ts";
import { taintSchema } from "./taint-schema.ts";
import { jsonList } from "./variables.ts";

/** Reads the text of an environment variable as a value of a form; `heartbeat` is the hooks' heartbeat timeout. */
export function schemaOf(form: Form, heartbeat: () => Duration): z.ZodMiniType<ValueOf<Form>> {
  switch (form.kind) {
    case "held-seconds":
      return heldSeconds(form.least, heartbeat());
    case "seconds":
      return z.pipe(wholeNumber(rangeOf("seconds", form), form), z.transform(seconds));
    case "number":
      return wholeNumber(rangeOf(form.unit, form), form);
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
    case "taint":
      return taintSchema(form.example);
  }
}

interface Range {
  readonly least: number;
  readonly most: number;
}

const rangeOf = (unit: string, { least, most }: Range): string =>
  `a whole number of ${unit} from ${least} to ${most}`;

const wholeNumber = (expected: string, { least, most }: Range) =>
  z.pipe(
    z
      .string()
      .check(
        z.refine(
          (text) => /^\d+$/.test(text) && Number(text) >= least && Number(text) <= most,
          expected,
        ),
      ),
    z.transform(Number),
  );

/** Accepts the seconds for which a hook with such a heartbeat timeout can hold its instance. */
function heldSeconds(least: number, heartbeat: Duration) {
  const { key, default: usual } = hookSettings.heartbeat;
  const most = wholeSeconds(longestHold(heartbeat));
  const range = rangeOf("seconds", { least, most });
  const expected =
    most < wholeSeconds(longestHold(seconds(usual)))
      ? `${range}, which is all that a hook holds with ${key}=${wholeSeconds(heartbeat)}`
      : range;
  return z.pipe(wholeNumber(expected, { least, most }), z.transform(seconds));
}
