import type { PodUid } from "../base/ids.ts";
import type { Duration, Instant } from "../base/time.ts";
import { type Budget, budgetsHolding } from "../drain/budget.ts";
import type { Eviction } from "../drain/eviction.ts";
import type { Placement } from "../drain/placement.ts";
import type { Pod, Termination } from "../drain/pod.ts";
import type { Snapshot } from "../drain/snapshot.ts";
import type { Target } from "../drain/target.ts";
import type { ForecastPod } from "./forecast-pod.ts";
import type { Hold } from "./hold.ts";
import type { Pace } from "./pace.ts";

/** The start of a simulated drain, and the facts that do not change during it. */
export interface SimulationStart {
  readonly forecastPods: ReadonlyMap<PodUid, ForecastPod>;
  readonly placements: ReadonlyMap<PodUid, Placement>;
  readonly refusals: ReadonlyMap<PodUid, EvictionRefusal>;
  readonly pace: Pace;
  readonly heldUntil: Instant;
  readonly pass: Duration;
  readonly longestRest: Duration;
}

/** An answer that refuses an eviction regardless of budgets. */
export type EvictionRefusal = Extract<
  Eviction,
  { readonly kind: "denied" | "namespace-terminating" }
>;

/** The drain of one node that only happens in mind: the engine's own steps, over a cluster that answers as Kubernetes does. */
export interface Simulation {
  readonly setting: SimulationStart;
  readonly snapshot: Snapshot;
  readonly targets: readonly Target[];
  readonly passEnds: Instant;
  /** The future events in the cluster, in no order. */
  readonly coming: readonly SimulatedEvent[];
  readonly spent: readonly Spent[];
  readonly asked: ReadonlyMap<PodUid, SimulatedRequest>;
  /** The holds on each pod up to now. */
  readonly holds: ReadonlyMap<PodUid, readonly Hold[]>;
}

/** The request that made a pod end. */
export interface SimulatedRequest {
  readonly at: Instant;
  readonly verb: "evict" | "delete";
  readonly grace: Duration;
}

/** Something that happens in the simulated cluster. */
export interface SimulatedEvent {
  readonly at: Instant;
  readonly to: (world: SimulatedWorld) => SimulatedWorld;
}

/** The facts that change without the drain. */
export type SimulatedWorld = Pick<Simulation, "snapshot" | "targets">;

/** Time of a drain, and what it was spent on. */
export interface Spent {
  readonly on: string;
  /** The title of the budget that it was spent on; empty where it was spent on something else. */
  readonly budget: string;
  readonly time: Duration;
}

const changed = (world: SimulatedWorld, change: Partial<Snapshot>): SimulatedWorld => ({
  ...world,
  snapshot: { ...world.snapshot, ...change },
});

/** The pod is gone. */
export const leaves =
  ({ uid }: Pod) =>
  (world: SimulatedWorld): SimulatedWorld =>
    changed(world, { pods: world.snapshot.pods.filter((pod) => pod.uid !== uid) });

/** The event that pods start to end, each with the end of its grace. */
export const ends =
  (endings: ReadonlyMap<PodUid, Instant>) =>
  (world: SimulatedWorld): SimulatedWorld =>
    changed(world, {
      pods: world.snapshot.pods.map((pod) => {
        const until = endings.get(pod.uid);
        return until === undefined
          ? pod
          : { ...pod, termination: endingSince(world.snapshot.now, until) };
      }),
    });

const endingSince = (since: Instant, until: Instant): Termination => ({
  kind: "terminating",
  since,
  until,
});

/** The volume is detached. */
export const detaches =
  (volume: string) =>
  (world: SimulatedWorld): SimulatedWorld => {
    const { volumes } = world.snapshot;
    if (volumes.kind !== "read") return world;
    const attached = volumes.attached.filter((name) => name !== volume);
    return changed(world, { volumes: { ...volumes, attached } });
  };

/** The load balancers have come to this state. */
export const targetsBecome =
  (state: Target["state"]) =>
  (world: SimulatedWorld): SimulatedWorld => ({
    ...world,
    targets: world.targets.map((target) => ({ ...target, state })),
  });

/** The budgets of a pod count one healthy pod fewer, or one more. */
export const counts =
  (pod: Pod, change: -1 | 1) =>
  (world: SimulatedWorld): SimulatedWorld => {
    const { budgets } = world.snapshot;
    const counted = pod.ready ? budgetsHolding(pod, budgets) : [];
    if (counted.length === 0) return world;
    return changed(world, {
      budgets: budgets.map((one) => (counted.includes(one) ? recounted(one, change) : one)),
    });
  };

function recounted(budget: Budget, change: -1 | 1): Budget {
  // Its controller fails to count, whatever comes and goes.
  if (budget.uncounted !== "") return budget;
  const { disruptionsAllowed: allowed, desiredHealthy } = budget;
  const currentHealthy = budget.currentHealthy + change;
  const spare = Math.min(allowed + change, currentHealthy - desiredHealthy);
  return {
    ...budget,
    currentHealthy,
    disruptionsAllowed: change === -1 ? Math.max(0, allowed - 1) : Math.max(allowed, spare),
    resourceVersion: `${budget.resourceVersion}'`,
  };
}
