import type { Taint } from "../domain/node/node.ts";
import type { Duration } from "../domain/time.ts";

/** Some words; there is at least one. */
export type Words = readonly [string, ...string[]];

/** What the value of a setting may be. */
export type Form =
  /** A whole number of seconds; at most as many as a hook can hold an instance for. */
  | { readonly kind: "held-seconds"; readonly least: number }
  | { readonly kind: "seconds"; readonly least: number; readonly most: number }
  | {
      readonly kind: "number";
      readonly unit: string;
      readonly least: number;
      readonly most: number;
    }
  | { readonly kind: "word"; readonly words: Words }
  /** A list of some of the words; `called` says what they are. */
  | { readonly kind: "words"; readonly called: string; readonly words: Words }
  | { readonly kind: "taint-keys"; readonly example: string }
  /** One taint; an empty text stands for none. */
  | { readonly kind: "taint"; readonly example: string };

/** The words that a form allows. */
export type WordOf<F extends Form> = F extends { readonly words: readonly (infer W)[] } ? W : never;

/** For each kind of form, the type of a value as cluster files and the table of settings write it. */
export interface PlainForms<W> {
  readonly "held-seconds": number;
  readonly seconds: number;
  readonly number: number;
  readonly word: W;
  readonly words: readonly W[];
  readonly "taint-keys": readonly string[];
  readonly taint: string;
}

/** A value as cluster files and the table of settings write it. */
export type PlainOf<F extends Form> = PlainForms<WordOf<F>>[F["kind"]];

interface ValueForms<W> extends Omit<PlainForms<W>, "held-seconds" | "seconds" | "taint"> {
  readonly "held-seconds": Duration;
  readonly seconds: Duration;
  readonly taint: readonly Taint[];
}

/** A value as the function works with it. */
export type ValueOf<F extends Form> = ValueForms<WordOf<F>>[F["kind"]];

/** A value as the environment has it. */
export const textOf = (value: PlainOf<Form>): string =>
  typeof value === "object" ? JSON.stringify(value) : String(value);

/** Seconds that a hook has to be able to hold an instance for. */
export const heldSeconds = (least: number) => ({ kind: "held-seconds", least }) as const;

/** Seconds in a range. */
export const secondsFrom = (least: number, most: number) =>
  ({ kind: "seconds", least, most }) as const;

/** A number in a range. */
export const numberOf = (unit: string, least: number, most: number) =>
  ({ kind: "number", unit, least, most }) as const;

/** One of some words. */
export const oneOf = <const W extends Words>(...words: W) => ({ kind: "word", words }) as const;

/** Any number of some words. */
export const listOf = <const W extends Words>(called: string, ...words: W) =>
  ({ kind: "words", called, words }) as const;

/** The keys of taints, such as this one. */
export const taintKeysLike = (example: string) => ({ kind: "taint-keys", example }) as const;

/** A taint, such as this one, or none. */
export const taintLike = (example: string) => ({ kind: "taint", example }) as const;
