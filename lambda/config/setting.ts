import type { Form, PlainOf, SettingValue } from "./form.ts";

/** One setting of a function. */
export interface Setting<F extends Form = Form> {
  /** Its key in the function's environment. */
  readonly key: string;
  readonly form: F;
  readonly default: PlainOf<F>;
  /** A group may override a setting of scope `group` by tag. A setting of scope `cluster` has one value for all groups. */
  readonly scope: "group" | "cluster";
}

/** Some settings, by the names that they have in constructs and cluster files. */
export type Settings = Readonly<Record<string, Setting>>;

export type ValuesOf<S extends Settings> = { readonly [N in keyof S]: SettingValue<S[N]["form"]> };

const rowOf =
  (scope: Setting["scope"]) =>
  <const F extends Form>(key: string, form: F, usual: NoInfer<PlainOf<F>>): Setting<F> => ({
    key,
    form,
    default: usual,
    scope,
  });

/** A row for a setting that a group may override by tag. */
export const groupSetting = rowOf("group");

/** A row for a setting that has one value for all groups. */
export const clusterSetting = rowOf("cluster");
