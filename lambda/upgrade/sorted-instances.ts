import { type GroupInstance, isActive, isLeaving } from "../group/scaling-group.ts";
import { isMarked, isValidated } from "./node-marks.ts";
import { type Candidate, serves, stalenessOf } from "./old-instances.ts";
import type { UpgradeScene } from "./scene.ts";

/** An upgrade as it looks now, with the instances of its group sorted by what it does with them. */
export interface SortedScene extends UpgradeScene {
  /** To be replaced. */
  readonly old: readonly Candidate[];
  readonly fresh: readonly Candidate[];
  /** Those of `fresh` that are in service, with a valid and ready node. */
  readonly valid: readonly Candidate[];
  /** On their way out of the group. */
  readonly leaving: readonly GroupInstance[];
}

/**
 * Sorts the instances of a group. An upgrade that rolls back replaces its new instances, and the ones before it are valid as
 * soon as they are ready. Those in Standby are left out, because somebody works on them.
 */
export function sorted(scene: UpgradeScene): SortedScene {
  const { group, nodes, bookmark } = scene;
  const active = group.instances.filter(isActive).map((instance) => ({
    instance,
    node: nodes.get(instance.id) ?? ("absent" as const),
  }));
  const isBack = bookmark.state === "rolling-back";
  const isOld = ({ instance, node }: Candidate) => isStale(instance, node, scene) !== isBack;
  const wasAdmitted = ({ node }: Candidate) =>
    node !== "absent" && (isBack ? !isMarked(node) : isValidated(node, bookmark.id));
  const fresh = active.filter((one) => !isOld(one));
  return {
    ...scene,
    old: active.filter(isOld),
    fresh,
    valid: fresh.filter((one) => isInService(one) && serves(one) && wasAdmitted(one)),
    leaving: group.instances.filter(isLeaving),
  };
}

function isStale(
  instance: GroupInstance,
  node: Candidate["node"],
  { targets, bookmark: { begun, options } }: UpgradeScene,
): boolean {
  return stalenessOf(instance, node, { targets, begun, maxAge: options.maxAge }) !== "none";
}

export const isInService = ({ instance: { state } }: Candidate): boolean => state === "InService";
