import type { Figure } from "../entry.ts";
import { drainFigures } from "./drain-figures.ts";
import type { FigureRow, HeardPass } from "./figure-row.ts";
import { repairFigures } from "./repair-figures.ts";
import { upgradeFigures } from "./upgrade-figures.ts";

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
