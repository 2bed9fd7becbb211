import type { Kinded } from "./line.ts";
import * as subjects from "./subjects.ts";

/** The part of the journal that a subject adds. */
type JournalSubject = (typeof subjects)[keyof typeof subjects];

export const own: readonly JournalSubject[] = Object.values(subjects);

/** The form of an entry that a subject adds. */
export type OwnForm = JournalSubject["forms"][number];

type Guard<E extends Kinded> = (entry: Kinded) => entry is E;
type Guarded<T> = T extends Guard<infer E> ? E : never;

/** The entries that subjects add. */
export type OwnEntry = Guarded<JournalSubject["isOf"]>;

export const isOwn = <T extends Kinded>(entry: T): entry is Extract<T, OwnEntry> =>
  own.some(({ isOf }) => isOf(entry));

type Values<T> = T extends unknown ? T[keyof T] : never;
type OutcomeOf<Row> = Row extends { words(outcome: infer O): string } ? O : never;

/** The outcomes that subjects add. */
export type OwnOutcome = OutcomeOf<Values<JournalSubject["outcomes"]>>;

/** The form of such an outcome. */
export type OwnOutcomeForm = JournalSubject["outcomeForms"][number];
