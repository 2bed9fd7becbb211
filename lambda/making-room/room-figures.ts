import type { RoomEntry } from "../drain/room-entry.ts";
import { entriesOf, type FigureRow } from "../report/figure-row.ts";

const ofKind = entriesOf<RoomEntry>();

/** The metrics of making room. */
export const roomFigures: readonly FigureRow[] = [
  {
    name: "RoomMade",
    unit: "Count",
    dimension: "Stage",
    series: 5,
    meaning:
      "What was done to let Deployments have more pods for a while, by its stage: `surged`, `made`, `put back`, `given up`, `not tried`.",
    values: (pass) => {
      const stages = Map.groupBy(ofKind(pass, "making-room"), ({ stage }) => stage);
      return Array.from(stages, ([stage, all]) => [stage, all.length]);
    },
  },
];
