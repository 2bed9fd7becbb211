import { eventTable } from "../lambda/registrations/event-table.ts";
import { figureTable } from "../lambda/registrations/figure-table.ts";
import { tableOf, withTable } from "./table.ts";

const code = (text: string): string => `\`${text}\``;

const places = { node: "the node", pod: "the pod", owner: "the pods' controller" } as const;

/** Writes the list of Events into a document. */
export const withEvents = (document: string): string =>
  withTable(
    "Events",
    tableOf([
      ["Reason", "Type", "About", "Told", "Meaning"],
      ...eventTable.map(({ reason, type, on, told, meaning }) => [
        code(reason),
        type,
        places[on],
        told,
        meaning,
      ]),
    ]),
    document,
  );

/** Writes the list of metrics into a document. */
export const withMetrics = (document: string): string =>
  withTable(
    "metrics",
    tableOf([
      ["Metric", "Unit", "Dimension", "Series at most", "Meaning"],
      ...figureTable.map(({ name, unit, dimension, series, meaning }) => [
        code(name),
        unit,
        dimension === "" ? "–" : code(dimension),
        String(series),
        meaning,
      ]),
    ]),
    document,
  );
