import type { Duration } from "aws-cdk-lib";
import { type Form, type PlainForms, textOf, type WordOf } from "../../lambda/config/form.ts";
import type { Settings } from "../../lambda/config/setting.ts";
import type {
  accessSettings,
  drainSettings,
  launchSettings,
} from "../../lambda/config/settings.ts";

interface OptionForms<W> extends Omit<PlainForms<W>, "held-seconds" | "seconds"> {
  readonly "held-seconds": Duration;
  readonly seconds: Duration;
}

/** A value as the props of a construct say it. */
export type OptionOf<F extends Form> = OptionForms<WordOf<F>>[F["kind"]];

/** Some settings as props of a construct: their names, types and comments are those of the settings' rows. */
export type OptionsOf<S extends Settings> = { readonly [N in keyof S]?: OptionOf<S[N]["form"]> };

/** How nodes are drained. */
export type DrainOptions = OptionsOf<typeof drainSettings>;

/** How instances are launched, and how their roles are let into the cluster. */
export type LaunchOptions = OptionsOf<typeof launchSettings & typeof accessSettings>;

/** The environment that says these options; an option that is left out keeps the function's own default. */
export function environmentOf<S extends Settings>(
  settings: S,
  options: OptionsOf<S>,
): Readonly<Record<string, string>>;
export function environmentOf(
  settings: Settings,
  options: Readonly<Partial<Record<string, OptionOf<Form>>>>,
) {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, { key }]) => {
      const option = options[name];
      return option === undefined ? [] : [[key, textOf(plainOf(option))]];
    }),
  );
}

const plainOf = (option: OptionOf<Form>) =>
  typeof option === "object" && "toSeconds" in option ? option.toSeconds() : option;
