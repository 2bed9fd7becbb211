import type { InstanceId } from "../base/ids.ts";
import type { TargetGroupHealth } from "../group/target-loss.ts";

/** The instances of a group, with respect to its load balancers. */
export interface Served {
  /** All that count: the old ones, and the new ones that are valid. */
  readonly all: ReadonlySet<string>;
  /** Those that are about to be deregistered. */
  readonly leaving: ReadonlySet<InstanceId>;
  /** The number of old instances, including those that are leaving. */
  readonly old: number;
  /** The number of instances of the group before its upgrade. */
  readonly before: number;
}

/** A target group that would have fewer instances in service than before. */
export interface ThinGroup {
  readonly id: string;
  readonly reason: string;
}

/**
 * The target groups that would have fewer instances in service than before if these left. If only some old instances were
 * in service, as with `externalTrafficPolicy: Local`, the same share has to remain.
 */
export const thinTargets = (
  groups: readonly TargetGroupHealth[],
  served: Served,
): readonly ThinGroup[] =>
  groups.filter(({ kind }) => kind === "instance").flatMap((group) => thinIn(group, served));

function thinIn(
  { id, name, targets }: TargetGroupHealth,
  { all, leaving, old, before }: Served,
): readonly ThinGroup[] {
  const serving = targets.filter((target) => target.state === "serving" && all.has(target.id));
  const instances = new Set(serving.map((target) => target.id));
  const left = [...leaving].filter((instance) => instances.has(instance)).length;
  const stay = instances.size - left;
  const part = Math.min(1, left / Math.max(1, Math.min(leaving.size, old)));
  const needed = Math.floor(before * part);
  if (stay >= needed) return [];
  const reason = `target group ${name} would have ${stay} instances in service of ${needed}`;
  return [{ id, reason }];
}
