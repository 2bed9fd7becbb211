import { partsOf } from "../base/parts.ts";
import type { Instant } from "../base/time.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";
import type { MachineNode } from "../drain/node.ts";
import type { NodeInfo } from "../drain/node-info.ts";
import { isActive, type ScalingGroup } from "../group/scaling-group.ts";
import type { UpgradeOptions } from "./options.ts";
import { type Candidate, inOrder } from "./order.ts";
import { batchOf } from "./sizes.ts";
import { stalenessOf, type Targets } from "./staleness.ts";

/** A group before its upgrade, with what decides how that will go. */
export interface Outlook {
  /** The id of the upgrade, by which chance orders its nodes. */
  readonly id: string;
  readonly now: Instant;
  readonly fleet: ScalingGroup;
  /** What the group is to launch by; `all new` where that has yet to be made. */
  readonly targets: Targets | "all new";
  readonly options: UpgradeOptions;
  /** The nodes of the cluster, with the pods of the group's own. */
  readonly nodeInfos: readonly NodeInfo<MachineNode>[];
  /** How the nodes of the group are drained. */
  readonly settings: DrainSettings;
}

/** Old instances that would go together. */
export type Batch = readonly Candidate[];

/** The old instances of a group in the batches in which they would go. */
export function batchesIn(outlook: Outlook): readonly Batch[] {
  const { id, fleet, options, nodeInfos } = outlook;
  const pods = new Map(nodeInfos.map((one) => [one.node.name, one.pods.length]));
  const old = inOrder(candidatesIn(outlook), { id, order: options.order, pods });
  return partsOf(old, batchOf(options, fleet.sizes.desired, fleet.zones.length));
}

function candidatesIn({ fleet, targets, options, nodeInfos, now }: Outlook): readonly Candidate[] {
  const nodes = new Map(nodeInfos.map(({ node }) => [node.instance, node]));
  const aged = { begun: now, maxAge: options.maxAge };
  return fleet.instances
    .filter(isActive)
    .map((instance) => ({ instance, node: nodes.get(instance.id) ?? ("absent" as const) }))
    .filter(
      ({ instance, node }) =>
        targets === "all new" || stalenessOf(instance, node, { targets, ...aged }) !== "none",
    );
}
