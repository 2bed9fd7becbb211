import { later } from "../base/time.ts";
import { thinTargets } from "../drain/thin-targets.ts";
import { turnMarking } from "./node-marks.ts";
import { rosterOf } from "./roster.ts";
import type { NodeTurn, UpgradeScene } from "./scene.ts";
import type { UpgradeTools } from "./upgrade-tools.flow.ts";
import { writeNodes } from "./write-nodes.flow.ts";

/**
 * Begins the turns of some nodes, unless load balancers would have too few instances without them; returns why not. That
 * holds an upgrade no longer than a drain waits for load balancers at most: some targets are healthy only once pods move.
 */
export async function beginTurns(
  turns: readonly NodeTurn[],
  scene: UpgradeScene,
  tools: UpgradeTools,
): Promise<readonly string[]> {
  const { now, bookmark } = scene;
  const { targetTimeout } = tools.policy.drain.settingsFor(scene.fleet.tags).settings;
  const isMinimal = bookmark.options.strategy === "MINIMAL";
  const isPatient = now < later(bookmark.since, targetTimeout) && !isMinimal;
  const held = isPatient ? await thinned(turns, scene, tools) : [];
  if (held.length > 0) return held;
  const byName = new Map(turns.map(({ node, turn }) => [node.name, turn]));
  await writeNodes(
    {
      upgrade: bookmark.id,
      deed: "chosen",
      nodes: turns.map(({ node }) => node),
      change: ({ name }) => {
        const turn = byName.get(name);
        return turn === undefined ? undefined : turnMarking(bookmark.id, turn);
      },
    },
    tools,
  );
  return [];
}

async function thinned(
  turns: readonly NodeTurn[],
  scene: UpgradeScene,
  { ports: { balancers, instances } }: UpgradeTools,
): Promise<readonly string[]> {
  const [first] = turns;
  if (first === undefined) return [];
  const ec2Instance = await instances.describe(first.node.instance);
  const vpc = ec2Instance === "unknown" ? "" : ec2Instance.vpc;
  const { old, valid } = rosterOf(scene);
  const all = [...old, ...valid].map(({ instance }) => instance.id);
  const targets = await Promise.all(all.map((instance) => balancers.targetsOf(instance, vpc)));
  const leaving = new Set(turns.map(({ node }) => node.instance));
  const { desired } = scene.bookmark.before.sizes;
  return thinTargets(targets.flat(), { leaving, old: old.length, before: desired });
}
