import type { InstanceId } from "../base/ids.ts";
import type { Target } from "../drain/target.ts";

/** The instances of a group, with respect to its load balancers. */
export interface Served {
  /** Those that are about to be deregistered. */
  readonly leaving: ReadonlySet<InstanceId>;
  /** The number of old instances, including those that are leaving. */
  readonly old: number;
  /** The number of instances of the group before its upgrade. */
  readonly before: number;
}

/**
 * The target groups that would have fewer instances in service than before if these left, one line each. If only some old
 * instances were in service, as with `externalTrafficPolicy: Local`, the same share has to remain.
 */
export function thinTargets(targets: readonly Target[], served: Served): readonly string[] {
  const serving = targets.filter(
    ({ state, balancer }) => state === "serving" && balancer.kind === "target group",
  );
  const byGroup = Object.entries(Object.groupBy(serving, ({ balancer }) => balancer.id));
  return byGroup.flatMap(([, own = []]) => thinIn(own, served));
}

function thinIn(own: readonly Target[], { leaving, old, before }: Served): readonly string[] {
  const [first] = own;
  const instances = new Set(own.map(({ instance }) => instance));
  const stay = [...instances].filter((instance) => !leaving.has(instance)).length;
  const part = Math.min(1, (instances.size - stay) / Math.max(1, Math.min(leaving.size, old)));
  const needed = Math.floor(before * part);
  if (first === undefined || stay >= needed) return [];
  return [
    `target group ${first.balancer.name} would have ${stay} instances in service of ${needed}`,
  ];
}
