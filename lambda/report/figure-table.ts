import { isOfOthers } from "../notice/outcome.ts";
import { faultsFigure } from "./drain-figures.ts";
import { type FigureRow, type HeardPass, outcomesOf } from "./figure-row.ts";
import type { Figure } from "./report-entry.ts";

/** The data points of a pass. The rules of EventBridge hear of all instances of an account: those of others make no metrics, but faults do. */
export function figuresOf(table: readonly FigureRow[], pass: HeardPass): readonly Figure[] {
  const rows = outcomesOf(pass).some(isOfOthers)
    ? table.filter(({ name }) => name === faultsFigure)
    : table;
  return rows.flatMap(({ name, unit, dimension, values }) =>
    values(pass).map(([of, value]) => ({ name, unit, dimension, of, value })),
  );
}
