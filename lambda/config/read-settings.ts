import { textOf } from "./form.ts";
import { schemaOf } from "./form-schema.ts";
import type { Setting, Settings, ValuesOf } from "./setting.ts";
import { hookSettings } from "./settings.ts";
import { readVariable, type Variables } from "./variables.ts";

/** Reads some settings from the environment; a variable that is not there has its default. */
export function readSettings<S extends Settings>(settings: S, variables: Variables): ValuesOf<S>;
// TypeScript cannot see that the values have the types of their rows: a test reads a value of every row.
export function readSettings(settings: Settings, variables: Variables) {
  return Object.fromEntries(
    Object.entries(settings).map(([name, { key, default: usual, ...setting }]) => [
      name,
      readVariable(key, variables[key] ?? textOf(usual), schemaIn(variables, setting)),
    ]),
  );
}

/** What the text of a setting has to be, in such an environment. */
export const schemaIn = (variables: Variables, { form }: Pick<Setting, "form">) =>
  schemaOf(form, () => readSettings(hookSettings, variables).heartbeat);
