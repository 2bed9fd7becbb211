import { Duration } from "aws-cdk-lib";
import type { Form, PlainOf } from "../../lambda/config/form.ts";
import type { Settings } from "../../lambda/config/setting.ts";
import type { OptionOf, OptionsOf } from "../options/options.ts";
import { type FieldName, fieldName, isTime } from "./field-name.ts";

/** What a cluster's file says about some settings. */
export type SaidOf<S extends Settings> = {
  readonly [N in keyof S & string as FieldName<N, S[N]>]?: PlainOf<S[N]["form"]> | undefined;
};

/** Turns what a cluster's file says about some settings into props of a construct. */
export function optionsIn<S extends Settings>(settings: S, said: SaidOf<S>): OptionsOf<S>;
export function optionsIn(
  settings: Settings,
  said: Readonly<Partial<Record<string, PlainOf<Form>>>>,
): Readonly<Record<string, OptionOf<Form>>> {
  return Object.fromEntries(
    Object.entries(settings).flatMap(([name, { form }]) => {
      const value = said[fieldName(name, form)];
      if (value === undefined) return [];
      const option = typeof value === "number" && isTime(form) ? Duration.seconds(value) : value;
      return [[name, option]];
    }),
  );
}
