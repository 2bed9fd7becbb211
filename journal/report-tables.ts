import { roomEvents } from "../lambda/making-room/room-events.ts";
import { roomFigures } from "../lambda/making-room/room-figures.ts";
import { repairEvents } from "../lambda/repair/repair-events.ts";
import { repairFigures } from "../lambda/repair/repair-figures.ts";
import { drainFigures } from "../lambda/report/drain-figures.ts";
import { commonEvents } from "../lambda/report/event-table.ts";
import type { FigureRow } from "../lambda/report/figure-row.ts";
import type { EventRow } from "../lambda/report/kube-event.ts";
import { upgradeEvents } from "../lambda/upgrade/upgrade-events.ts";
import { upgradeFigures } from "../lambda/upgrade/upgrade-figures.ts";

/** All Events; `npm run generate` writes docs/events.md from it. */
export const eventTable: readonly EventRow[] = [
  ...commonEvents,
  ...roomEvents,
  ...upgradeEvents,
  ...repairEvents,
];

/** All metrics; `npm run generate` writes docs/metrics.md from it. */
export const figureTable: readonly FigureRow[] = [
  ...drainFigures,
  ...roomFigures,
  ...upgradeFigures,
  ...repairFigures,
];
