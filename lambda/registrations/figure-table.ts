import { repairFigures } from "../repair/repair-figures.ts";
import { drainFigures } from "../report/drain-figures.ts";
import type { FigureRow, HeardPass } from "../report/figure-row.ts";
import { upgradeFigures } from "../upgrade/upgrade-figures.ts";
import type { Figure } from "./entry.ts";

/** The table of all metrics; `npm run generate` writes docs/metrics.md from it. */
export const figureTable: readonly FigureRow[] = [
  ...drainFigures,
  ...upgradeFigures,
  ...repairFigures,
];

/** The data points of a pass. */
export const figuresOf = (pass: HeardPass): readonly Figure[] =>
  figureTable.flatMap(({ name, unit, dimension, values }) =>
    values(pass).map(([of, value]) => ({ name, unit, dimension, of, value })),
  );
