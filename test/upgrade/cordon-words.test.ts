import { describe, expect, it } from "vitest";
import { reasonAnnotation } from "../../lambda/drain/cause.ts";
import { cordonedAnnotation, markedAtAnnotation, markingFor } from "../../lambda/drain/marking.ts";
import type { Node } from "../../lambda/drain/node.ts";
import { tryOpening, tryUnmarking } from "../../lambda/drain/unmarking.ts";
import { drainReasons } from "../../lambda/drain-reasons.ts";
import { cordonFor } from "../../lambda/interruption/risk.ts";
import {
  asideMarking,
  tryCordoning,
  tryLeaving,
  tryOpeningOld,
  tryReopening,
  tryRestoring,
  tryUncordoning,
  upgradeAnnotations,
} from "../../lambda/upgrade/node-marks.ts";
import { upgraded } from "../../lambda/upgrade/upgrade-reason.ts";
import { aCause, aNode, noon } from "../support/builders.ts";

const id = "upgrade-1";
const words = [cordonedAnnotation, upgradeAnnotations.cordoned];
const others: readonly (readonly [string, string])[] = [
  [markedAtAnnotation, "2026-11-20T11:00:00Z"],
  [reasonAnnotation, upgraded.reason],
  [upgradeAnnotations.blocked, `${id} aside demo/web`],
  [upgradeAnnotations.kept, `${id} true`],
];

/** Every node with some of these annotations, open and cordoned. */
const nodes: readonly Node[] = [...words.map((key) => [key, `${id} true`] as const), ...others]
  .reduce<readonly Readonly<Record<string, string>>[]>(
    (all, [key, value]) => all.flatMap((one) => [one, { ...one, [key]: value }]),
    [{}],
  )
  .flatMap((annotations) =>
    [true, false].map((unschedulable) => aNode({ annotations, unschedulable })),
  );

const changes = {
  marks: (node: Node) => markingFor(node, { taints: [], cause: aCause(), at: noon }),
  "cordons what is at risk": (node: Node) => cordonFor(node, noon),
  unmarks: (node: Node) => tryUnmarking(node, []),
  opens: (node: Node) => tryOpening(node, [], drainReasons),
  "cordons for an upgrade": (node: Node) => tryCordoning(node, id),
  "sets aside": (node: Node) => asideMarking(node, id, "demo/web"),
  uncordons: (node: Node) => tryUncordoning(node, id),
  reopens: (node: Node) => tryReopening(node, []),
  restores: (node: Node) => tryRestoring(node, []),
  "opens an old node": (node: Node) => tryOpeningOld(node, []),
  "leaves at the end": (node: Node) =>
    tryLeaving(node, { bookmark: { id, state: "running" }, taints: [] }),
};

// The fence asks for both (lambda/rights/node-fence.yaml).
describe.each(Object.entries(changes))("a change that %s", (_, change) => {
  const made = nodes.flatMap((node) => {
    const { annotations = {}, unschedulable = "as it is" } = change(node) ?? {};
    const gained = words.filter((key) => annotations[key] && !(key in node.annotations));
    const lost = words.filter((key) => annotations[key] === null && key in node.annotations);
    return [{ node, unschedulable, gained, lost }];
  });

  it("opens a node only together with the word about its cordon", () => {
    const opening = made.filter(
      ({ node, unschedulable }) => node.unschedulable && unschedulable === false,
    );
    for (const { lost } of opening) expect(lost).not.toEqual([]);
  });

  it("adds such a word, and one alone, with a cordon or in the place of another", () => {
    for (const { node, unschedulable, gained, lost } of made) {
      const isCordon = unschedulable === true && !node.unschedulable;
      expect(gained.length).toBeLessThanOrEqual(isCordon ? 1 : lost.length);
    }
  });
});
