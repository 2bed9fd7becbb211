import * as z from "zod";
import { seconds, wholeSeconds } from "../../lambda/base/time.ts";
import type { FieldForm, Form, PlainOf } from "../../lambda/config/form.ts";
import type { Settings } from "../../lambda/config/setting.ts";
import { hookSettings } from "../../lambda/config/settings.ts";
import { longestHold } from "../../lambda/drain/drain-deadline.ts";
import { type FieldName, fieldName } from "./field-name.ts";
import { filled, matching, oneOf, part, unique, whole } from "./field-schema.ts";
import { taintKey } from "./name-schema.ts";

type FieldsOf<S extends Settings> = {
  [N in keyof S & string as FieldName<N, S[N]>]: z.ZodOptional<z.ZodType<PlainOf<S[N]["form"]>>>;
};

/** Makes a field of a cluster's file for each setting. A file may leave out every field. */
export function fieldsOf<S extends Settings>(settings: S): FieldsOf<S>;
export function fieldsOf(settings: Settings) {
  return Object.fromEntries(
    Object.entries(settings).map(([name, { form }]) => [
      fieldName(name, form),
      schemaOf(form).optional(),
    ]),
  );
}

const longest = wholeSeconds(longestHold(seconds(hookSettings.heartbeat.default)));

function schemaOf(form: Form): z.ZodType<PlainOf<Form>> {
  switch (form.kind) {
    case "held-seconds":
      return whole(form.least, longest);
    case "seconds":
    case "number":
      return whole(form.least, form.most);
    case "word":
      return oneOf(...form.words);
    case "words":
      return unique(oneOf(...form.words), `a list of ${form.called}`);
    case "taint-keys":
      return unique(taintKey, "a list of the keys of taints");
    case "label-selector":
      return filled(`a label selector such as ${form.example}`);
    case "taint":
      return filled(`a taint such as ${form.example}`);
    case "node-count":
      return matching(
        /^(?:[1-9]\d?|100)%?$/,
        `a number of nodes from 1 to 100 as text, or a percentage such as ${form.example}`,
      );
    case "objects": {
      const fields = Object.entries(form.fields);
      const shape = Object.fromEntries(fields.map(([name, field]) => [name, fieldSchema(field)]));
      return z.array(part(shape), form.listed);
    }
  }
}

function fieldSchema(form: FieldForm): z.ZodType<number | string> {
  switch (form.kind) {
    case "text":
      return filled(form.called);
    case "number":
      return whole(form.least, form.most);
    case "word":
      return oneOf(...form.words);
  }
}
