import { isOfOthers } from "../notice/outcome.ts";
import { repairFigures } from "../repair/repair-figures.ts";
import { drainFigures, faultsFigure } from "../report/drain-figures.ts";
import { type FigureRow, type HeardPass, outcomesOf } from "../report/figure-row.ts";
import { upgradeFigures } from "../upgrade/upgrade-figures.ts";
import type { Figure } from "./entry.ts";

/** The table of all metrics; `npm run generate` writes docs/metrics.md from it. */
export const figureTable: readonly FigureRow[] = [
  ...drainFigures,
  ...upgradeFigures,
  ...repairFigures,
];

/** The data points of a pass. The rules of EventBridge hear of all instances of an account: those of others make no metrics, but faults do. */
export function figuresOf(pass: HeardPass): readonly Figure[] {
  const rows = outcomesOf(pass).some(isOfOthers)
    ? figureTable.filter(({ name }) => name === faultsFigure)
    : figureTable;
  return rows.flatMap(({ name, unit, dimension, values }) =>
    values(pass).map(([of, value]) => ({ name, unit, dimension, of, value })),
  );
}
