import { type Form, textOf, type ValueOf } from "./form.ts";
import { readerOf } from "./form-reader.ts";
import type { Settings, ValuesOf } from "./setting.ts";
import { hookSettings } from "./settings.ts";
import type { TextReader } from "./text-reader.ts";
import { readVariable, type Variables } from "./variables.ts";

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

/** What reads a text of such a form. The environment matters, because it says how long a hook can hold an instance. */
export const readerIn = (variables: Variables, form: Form): TextReader<ValueOf<Form>> =>
  readerOf(form, () => readSettings(hookSettings, variables).heartbeat);
