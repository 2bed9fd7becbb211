import type { Instant } from "../base/time.ts";
import type { Outcome } from "../notice/outcome.ts";
import type { Dated, Entry, Figure } from "../registrations/entry.ts";
import type { Task } from "./story.ts";

/** A pass that is over, and the entries that the journal got about it, in their order. */
export interface HeardPass {
  readonly notice: Task;
  readonly receives: number;
  readonly entries: readonly Dated[];
  /** From when on the time of its work counts. */
  readonly begun: Instant;
  /** When it was over. */
  readonly to: Instant;
}

/** A row of the table of metrics. */
export interface FigureRow extends Pick<Figure, "name" | "unit" | "dimension"> {
  /** What it means, for the list in the documents. */
  readonly meaning: string;
  /** How many time series it makes at most. */
  readonly series: number;
  /** The values of its dimension, and the data points; no points where there is nothing to say. */
  values(pass: HeardPass): readonly (readonly [of: string, value: number])[];
}

type DatedOf<K extends Entry["kind"]> = Extract<Dated, { readonly kind: K }>;

/** The entries of a kind. */
export const ofKind = <K extends Entry["kind"]>(
  { entries }: HeardPass,
  kind: K,
): readonly DatedOf<K>[] => entries.filter((entry): entry is DatedOf<K> => entry.kind === kind);

/** How the notice of a pass ended, if it did. */
export const outcomesOf = (pass: HeardPass): readonly Outcome[] =>
  ofKind(pass, "notice-done").map(({ outcome }) => outcome);

/** What a row says of a pass. */
export type Values = ReturnType<FigureRow["values"]>;

/** Data points without a dimension. */
export const plain = (values: readonly number[]): Values => values.map((value) => ["", value]);

/** A count; no point where it is zero. */
export const counted = (count: number): Values => (count === 0 ? [] : plain([count]));

/** A metric without a dimension. */
export const one = { dimension: "", series: 1 } as const;
