import type { Bookmark } from "./bookmark.ts";
import { type CandidateProgress, nodesAt, tryAside } from "./node-marks.ts";
import type { UpgradeScene, UpgradeStep } from "./scene.ts";
import { surgeOf } from "./sizes.ts";

/**
 * The step that sets blocked nodes aside, once all others are replaced; `undefined` if the options do not allow it, or not so
 * many. Each keeps a node of the surge, so there are never more of them than the surge has.
 */
export function trySetAside(
  placed: readonly CandidateProgress[],
  { bookmark, group }: UpgradeScene,
): UpgradeStep | undefined {
  if (bookmark.options.undrainable === "fail") return undefined;
  const nodes = nodesAt(placed, "blocked");
  const all = nodes.length + nodesAt(placed, "set-aside").length;
  return nodes.length === 0 || all > mostOf(bookmark, group.zones.length)
    ? undefined
    : { kind: "set-aside", nodes };
}

function mostOf({ options, before }: Bookmark, zones: number): number {
  const surge = surgeOf(options, before.sizes.desired, zones);
  return options.mostSetAside === "surge" ? surge : Math.min(surge, options.mostSetAside);
}

/** Says why nodes are not set aside though the options ask for it; empty if they do not. */
export const tooManyText = ({ bookmark, group }: UpgradeScene): readonly string[] =>
  bookmark.options.undrainable === "set-aside"
    ? [`at most ${mostOf(bookmark, group.zones.length)} may be set aside`]
    : [];

/** Whether an old node is set aside, so that nothing of the upgrade waits for it. */
export const isSetAside = ({ progress }: CandidateProgress): boolean =>
  progress.kind === "set-aside";

/** Names the nodes that an upgrade has set aside, and what holds each. */
export function asideText({ nodes, bookmark: { id } }: UpgradeScene): string {
  const lines = [...nodes.values()].flatMap((node) => {
    const left = tryAside(node, id);
    return left === undefined ? [] : [`node ${node.name}: ${left}`];
  });
  return [`${lines.length} nodes are set aside, cordoned`, ...lines].join("; ");
}
