import type { Instant } from "../base/time.ts";
import { type AnyEntry, ofKinds } from "../notice/entry.ts";
import type { AnyOutcome } from "../notice/outcome.ts";
import type { Task } from "./pass-facts.ts";
import type { Figure } from "./report-entry.ts";
import type { HeardEntry, ReportedEntry } from "./reported-entry.ts";

/** A finished pass with the journal's entries about it, in their order. */
export interface HeardPass {
  readonly notice: Task;
  readonly receives: number;
  readonly entries: readonly HeardEntry[];
  /** When the time of its work begins to count. */
  readonly begun: Instant;
  /** When it ended. */
  readonly to: Instant;
}

/** A row of the table of metrics. */
export interface FigureRow extends Pick<Figure, "name" | "unit" | "dimension"> {
  /** The description in docs/metrics.md. */
  readonly meaning: string;
  /** The largest number of time series that it creates. */
  readonly series: number;
  /** Pairs of a dimension value and a data point. Empty if the pass has no data point for this metric. */
  values(pass: HeardPass): readonly (readonly [of: string, value: number])[];
}

/** Finds the entries of one kind of a subject in a pass. */
export const entriesOf =
  <E extends AnyEntry>() =>
  <K extends E["kind"]>(
    { entries }: HeardPass,
    kind: K,
  ): readonly HeardEntry<Extract<E, { readonly kind: K }>>[] =>
    entries.filter(ofKinds<E>()(kind));

/** Finds the entries that every function reports. */
export const ofKind = entriesOf<ReportedEntry>();

/** The outcome of the notice of a pass, if the pass ended it. */
export const outcomesOf = (pass: HeardPass): readonly AnyOutcome[] =>
  ofKind(pass, "notice-done").map(({ outcome }) => outcome);

export type Values = ReturnType<FigureRow["values"]>;

/** Data points without a dimension. */
export const plain = (values: readonly number[]): Values => values.map((value) => ["", value]);

/** The data point of a count; none where it is zero. */
export const countIfAny = (count: number): Values => (count === 0 ? [] : plain([count]));

/** A metric without a dimension. */
export const one = { dimension: "", series: 1 } as const;
