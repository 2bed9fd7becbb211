import type { Duration } from "../base/time.ts";
import type { Selector } from "../drain/budget.ts";
import type { Taint } from "../drain/node.ts";
import type { NodeCount } from "../group/node-count.ts";

/** One or more words. */
export type SomeWords = readonly [string, ...string[]];

/** The form of a setting's value. */
export type Form =
  /** A whole number of seconds, at most as many as a hook can hold an instance. */
  | { readonly kind: "held-seconds"; readonly least: number }
  | { readonly kind: "seconds"; readonly least: number; readonly most: number }
  | {
      readonly kind: "number";
      readonly unit: string;
      readonly least: number;
      readonly most: number;
    }
  | { readonly kind: "word"; readonly words: SomeWords }
  /** A list of some of the words; `called` says what they are. */
  | { readonly kind: "words"; readonly called: string; readonly words: SomeWords }
  | { readonly kind: "taint-keys"; readonly example: string }
  /** A label selector, or an empty text for all. */
  | { readonly kind: "label-selector"; readonly example: string }
  /** A taint, or an empty text for none. */
  | { readonly kind: "taint"; readonly example: string }
  /** The number of nodes of a group, or a percentage of them. */
  | { readonly kind: "node-count"; readonly example: string }
  /** A JSON list of objects; `called` says what each of them has, and `listed` what the list is. */
  | {
      readonly kind: "objects";
      readonly called: string;
      readonly listed: string;
      readonly example: string;
      readonly fields: Fields;
    };

/** The form of an object's field. */
export type FieldForm =
  | { readonly kind: "text"; readonly called: string }
  | { readonly kind: "number"; readonly least: number; readonly most: number }
  | { readonly kind: "word"; readonly words: SomeWords };

/** The fields of an object, all of which it has. */
export type Fields = Readonly<Record<string, FieldForm>>;

export type WordOf<F> = F extends { readonly words: readonly (infer W)[] } ? W : never;

interface FieldValues<W> {
  readonly text: string;
  readonly number: number;
  readonly word: W;
}

/** An object with these fields. */
export type ObjectWith<I extends Fields> = {
  readonly [N in keyof I]: FieldValues<WordOf<I[N]>>[I[N]["kind"]];
};

/** The objects in a list of this form. */
export type ObjectOf<F extends Form> = F extends { readonly fields: infer I extends Fields }
  ? ObjectWith<I>
  : never;

/** The type of a value in cluster files and in the table of settings, for each kind of form. */
export interface PlainForms<W, O> {
  readonly "held-seconds": number;
  readonly seconds: number;
  readonly number: number;
  readonly word: W;
  readonly words: readonly W[];
  readonly "taint-keys": readonly string[];
  readonly "label-selector": string;
  readonly taint: string;
  readonly "node-count": string;
  readonly objects: readonly O[];
}

/** A value in cluster files and in the table of settings. */
export type PlainOf<F extends Form> = PlainForms<WordOf<F>, ObjectOf<F>>[F["kind"]];

interface ValueForms<W, O>
  extends Omit<
    PlainForms<W, O>,
    "held-seconds" | "label-selector" | "node-count" | "seconds" | "taint"
  > {
  readonly "held-seconds": Duration;
  readonly seconds: Duration;
  readonly "label-selector": Selector;
  readonly taint: readonly Taint[];
  readonly "node-count": NodeCount;
}

/** A value after the function has read it. */
export type SettingValue<F extends Form> = ValueForms<WordOf<F>, ObjectOf<F>>[F["kind"]];

/** Writes a value as the text of an environment variable. */
export const textOf = (value: PlainOf<Form>): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value);

/** A number of seconds, at most as many as a hook can hold an instance. */
export const heldSeconds = (least: number) => ({ kind: "held-seconds", least }) as const;

export const secondsFrom = (least: number, most: number) =>
  ({ kind: "seconds", least, most }) as const;

/** A number in a range. */
export const numberOf = (unit: string, least: number, most: number) =>
  ({ kind: "number", unit, least, most }) as const;

export const oneOf = <const W extends SomeWords>(...words: W) => ({ kind: "word", words }) as const;

/** A list of some of these words; `called` says what they are. */
export const listOf = <const W extends SomeWords>(called: string, ...words: W) =>
  ({ kind: "words", called, words }) as const;

/** A list of keys of taints, such as this one. */
export const taintKeysLike = (example: string) => ({ kind: "taint-keys", example }) as const;

/** A taint such as this one, or an empty text for none. */
export const taintLike = (example: string) => ({ kind: "taint", example }) as const;

/** A label selector such as this one, or an empty text for all. */
export const selectorLike = (example: string) => ({ kind: "label-selector", example }) as const;

/** A number of nodes of a group such as this one, or a percentage of them. */
export const nodeCountLike = (example: string) => ({ kind: "node-count", example }) as const;

/** A list of objects with these fields. */
export const objectsLike = <const I extends Fields>(form: {
  readonly called: string;
  readonly listed: string;
  readonly example: string;
  readonly fields: I;
}) => ({ kind: "objects" as const, ...form });
