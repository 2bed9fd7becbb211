import { Duration } from "aws-cdk-lib";
import {
  type Form,
  type ObjectOf,
  type PlainForms,
  type PlainOf,
  textOf,
  type WordOf,
} from "../../lambda/config/form.ts";
import type { Settings } from "../../lambda/config/setting.ts";
import type {
  accessSettings,
  drainSettings,
  launchSettings,
  reportSettings,
} from "../../lambda/config/settings.ts";
import { type FieldName, fieldName, isTime } from "../cluster-file/field-name.ts";
import type { ownSettings } from "../cluster-file/own-settings.ts";

interface OptionForms<W, O> extends Omit<PlainForms<W, O>, "held-seconds" | "seconds"> {
  readonly "held-seconds": Duration;
  readonly seconds: Duration;
}

/** A value in the props of a construct. */
export type OptionOf<F extends Form> = OptionForms<WordOf<F>, ObjectOf<F>>[F["kind"]];

/** Some settings as props of a construct. Names, types and comments come from the rows of the table. */
export type OptionsOf<S extends Settings> = { readonly [N in keyof S]?: OptionOf<S[N]["form"]> };

/** The drain options. */
export type DrainOptions = OptionsOf<typeof drainSettings>;

/** The launch options, including the admission of node roles. */
export type LaunchOptions = OptionsOf<typeof launchSettings & typeof accessSettings>;

/** The options of subjects with settings of their own. */
export type OwnOptions = {
  readonly [N in keyof typeof ownSettings]?: OptionsOf<(typeof ownSettings)[N]>;
};

/** The options of the function's reports besides its log. */
export type ReportOptions = OptionsOf<typeof reportSettings>;

/** Writes these options as environment variables. An option that is left out has no variable, so the function uses its default. */
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

type FileValuesOf<S extends Settings> = {
  readonly [N in keyof S & string as FieldName<N, S[N]>]?: PlainOf<S[N]["form"]> | undefined;
};

/** Turns what a cluster's file says about some settings into props of a construct. */
export function optionsIn<S extends Settings>(settings: S, said: FileValuesOf<S>): OptionsOf<S>;
export function optionsIn(
  settings: Settings,
  said: Readonly<Partial<Record<string, PlainOf<Form>>>>,
): Readonly<Record<string, OptionOf<Form>>> {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, { form }]) => {
      const value = said[fieldName(name, form)];
      if (value === undefined) return [];
      return [[name, typeof value === "number" && isTime(form) ? Duration.seconds(value) : value]];
    }),
  );
}
