import { wholeSeconds } from "../base/time.ts";
import {
  countIfAny,
  entriesOf,
  type FigureRow,
  type HeardPass,
  one,
  type Values,
} from "../report/figure-row.ts";
import type { UpgradeEnd, UpgradeEntry } from "./upgrade-entry.ts";

const ofKind = entriesOf<UpgradeEntry>();

function endOf(end: UpgradeEnd): Values {
  if (end.kind === "ended") return [[end.outcome, 1]];
  return end.kind === "refused" ? [[end.kind, 1]] : [];
}

const nodesIn = (pass: HeardPass, deed: "blocked" | "replaced"): number =>
  ofKind(pass, "upgrade-nodes").reduce(
    (sum, one) => sum + (one.deed === deed ? one.nodes.length : 0),
    0,
  );

/** The metrics of upgrades. */
export const upgradeFigures: readonly FigureRow[] = [
  {
    name: "Upgrades",
    unit: "Count",
    dimension: "End",
    series: 7,
    meaning: "Upgrades that have ended or were refused, by how.",
    values: (pass) => ofKind(pass, "upgrade-answered").flatMap(({ end }) => endOf(end)),
  },
  {
    ...one,
    name: "UpgradeNodesReplaced",
    unit: "Count",
    meaning: "Old nodes whose instances an upgrade has terminated.",
    values: (pass) => countIfAny(nodesIn(pass, "replaced")),
  },
  {
    ...one,
    name: "UpgradeNodesBlocked",
    unit: "Count",
    meaning: "Attempts after which pods were left on an old node; a node has two attempts.",
    values: (pass) => countIfAny(nodesIn(pass, "blocked")),
  },
  {
    name: "UpgradeSeconds",
    unit: "Seconds",
    dimension: "Phase",
    series: 6,
    meaning: "How long a phase of an upgrade took, pauses included.",
    values: (pass) =>
      ofKind(pass, "upgrade-phase-over").map(({ phase, took }) => [phase, wholeSeconds(took)]),
  },
];
