import { entriesOf, type FigureRow, one, plain } from "../report/figure-row.ts";
import { brakeKinds } from "./brakes.ts";
import type { RepairEntry } from "./repair-entry.ts";

const ofKind = entriesOf<RepairEntry>();

/** The metrics of repairs. */
export const repairFigures: readonly FigureRow[] = [
  {
    ...one,
    name: "IllInstances",
    unit: "Count",
    meaning:
      "Instances of the managed groups whose node is ill, or that have none, where repairs are on.",
    values: (pass) => plain(ofKind(pass, "repair-pass").map(({ ill }) => ill)),
  },
  {
    name: "RepairsStarted",
    unit: "Count",
    dimension: "Action",
    series: 2,
    meaning: "Repairs that have begun, by what they do: `replace` or `reboot`.",
    values: (pass) => ofKind(pass, "repair-begun").map(({ action }) => [action, 1]),
  },
  {
    name: "RepairsHeld",
    unit: "Count",
    dimension: "Brake",
    series: brakeKinds.length,
    meaning:
      "Instances that a brake keeps from being repaired, by the brake; docs/repair.md lists them.",
    values: (pass) =>
      ofKind(pass, "repair-held").map(({ brake, instances }) => [brake, instances.length]),
  },
];
