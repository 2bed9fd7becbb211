import { drainFigures } from "../lambda/report/drain-figures.ts";
import { commonEvents } from "../lambda/report/event-table.ts";
import type { FigureRow } from "../lambda/report/figure-row.ts";
import type { EventRow } from "../lambda/report/kube-event.ts";
import { own } from "./own.ts";

/** All Events; `npm run generate` writes docs/events.md from it. */
export const eventTable: readonly EventRow[] = [
  ...commonEvents,
  ...own.flatMap(({ events }) => events),
];

/** All metrics; `npm run generate` writes docs/metrics.md from it. */
export const figureTable: readonly FigureRow[] = [
  ...drainFigures,
  ...own.flatMap(({ figures }) => figures),
];
