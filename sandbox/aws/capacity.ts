import type { Group, GroupInstance, LaunchTemplate } from "./group.ts";
import { countsToDesired } from "./lifecycle.ts";

/** The steps by which a group reaches its desired capacity. */
export interface CapacityChange {
  readonly terminate: readonly GroupInstance[];
  readonly launchIn: readonly string[];
}

const inZone = (instances: readonly GroupInstance[], zone: string): number =>
  instances.filter((instance) => instance.zone === zone).length;

/**
 * The zone with the most instances loses one first, and in it the one with the most outdated template; protected instances stay.
 *
 * @see https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-termination-policies.html
 */
function victims({ template }: Group, instances: readonly GroupInstance[], count: number) {
  const chosen: GroupInstance[] = [];
  for (let left = count; left > 0; left -= 1) {
    const staying = instances.filter((instance) => !chosen.includes(instance));
    const [next] = staying
      .filter(({ protection }) => protection === "none")
      .toSorted((a, b) => {
        const crowd = inZone(staying, b.zone) - inZone(staying, a.zone);
        const age = freshness(template, a) - freshness(template, b);
        return crowd || age || a.joinedAt - b.joinedAt;
      });
    if (next === undefined) break;
    chosen.push(next);
  }
  return chosen;
}

/**
 * The order in which instances go: those of a launch configuration first, then those of another
 * template, then the oldest version.
 */
function freshness(current: LaunchTemplate, { template: { kind, id, version } }: GroupInstance) {
  if (kind !== current.kind) return kind === "configuration" ? -2 : 0;
  return id === current.id ? Number(version) : -1;
}

function emptiestZones(
  zones: readonly string[],
  instances: readonly GroupInstance[],
  count: number,
) {
  const chosen: string[] = [];
  const crowd = (zone: string): number =>
    inZone(instances, zone) + chosen.filter((other) => other === zone).length;
  for (let left = count; left > 0; left -= 1) {
    const [next] = zones.toSorted((a, b) => crowd(a) - crowd(b));
    if (next !== undefined) chosen.push(next);
  }
  return chosen;
}

/** The instances that count towards the desired capacity. */
export const countedInstances = (instances: readonly GroupInstance[]): readonly GroupInstance[] =>
  instances.filter(({ state }) => countsToDesired(state));

/** Compares what a group has with what it should have. */
export function capacityChange(group: Group, instances: readonly GroupInstance[]): CapacityChange {
  const counted = countedInstances(instances);
  const replaced = counted.filter((instance) => isReplaced(group, instance));
  const staying = counted.filter((instance) => !replaced.includes(instance));
  const missing = group.desired - staying.length;
  const wanted = Math.min(missing, mostInstances(group, replaced.length) - counted.length);
  return {
    terminate: [...leaving(group, staying, replaced), ...victims(group, staying, -missing)],
    launchIn: group.launches === "by-itself" ? emptiestZones(group.zones, counted, wanted) : [],
  };
}

const isReplaced = ({ suspended }: Group, { health, state }: GroupInstance): boolean =>
  health === "unhealthy" && state === "InService" && !suspended.includes("ReplaceUnhealthy");

/** With such a policy a group launches the replacement of an instance before it terminates that instance. */
const launchesFirst = ({ maintenance }: Group): boolean =>
  maintenance.kind === "bounds" && maintenance.min === 100 && maintenance.max > 100;

/**
 * The most instances of a group; without a policy a replacement starts when its instance has begun
 * to leave.
 */
function mostInstances(group: Group, replaced: number): number {
  const { desired, maintenance } = group;
  if (replaced === 0 || maintenance.kind === "none" || !launchesFirst(group)) return desired;
  return Math.ceil((desired * maintenance.max) / 100);
}

/** Those of the unhealthy instances that need not stay. */
function leaving(
  group: Group,
  staying: readonly GroupInstance[],
  replaced: readonly GroupInstance[],
): readonly GroupInstance[] {
  if (!launchesFirst(group)) return replaced;
  const { length: ready } = staying.filter(({ state }) => state === "InService");
  return replaced.slice(0, Math.max(0, ready + replaced.length - group.desired));
}
