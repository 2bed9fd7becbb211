import { type Duration, minutes, seconds } from "../../lambda/base/time.ts";
import { recordAnnotation, tryRecord } from "../../lambda/making-room/record.ts";
import { autoscalers, deployments, replicaSets } from "../../sandbox/kubernetes/app-resources.ts";
import { pods } from "../../sandbox/kubernetes/core-resources.ts";
import type { KubeObject } from "../../sandbox/kubernetes/kube-object.ts";
import { type Pod, podReady } from "../../sandbox/kubernetes/pod.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, type Placed } from "../world/workloads.ts";
import type { OtherGroup } from "../world/world-options.ts";

/** A Deployment under a budget, in a world that makes room. */
export interface RoomOptions extends Partial<Placed> {
  readonly rule?:
    | { readonly minAvailable?: number | string; readonly maxUnavailable?: number }
    | "none";
  readonly nodes?: number;
  readonly settings?: Readonly<Record<string, string>>;
  readonly clockAhead?: Duration;
  readonly others?: OtherGroup;
}

/** A world, and how many pods of its Deployment were ready at the least since it was at rest. */
export interface RoomWorld {
  readonly world: VirtualWorld;
  floor(): number;
  /** How many pods of the Deployment there have been in all. */
  made(): number;
}

/** A world with one Deployment `web` that is at rest. */
export function aRoomWorld(options: RoomOptions = {}): RoomWorld {
  const { rule = { minAvailable: 1 }, nodes = 3, settings = {}, ...rest } = options;
  const { clockAhead = seconds(0), others: group, ...placed } = rest;
  const on = { DRAIN_MAKE_ROOM: "on", ...settings };
  const world = new VirtualWorld({
    nodes,
    clockAhead,
    settings: on,
    ...(group && { others: group }),
  });
  deploy(world, { name: "web", on: { 1: 1 }, ...placed });
  if (rule !== "none") world.cluster.addBudget({ name: "web", ...rule });
  world.pass(minutes(2));
  return { world, floor: readyFloorIn(world, { app: "web" }), made: madeIn(world, "web") };
}

const hasLabels = (labels: Readonly<Record<string, string>>) => (pod: Pod) =>
  Object.entries(labels).every(([key, value]) => pod.metadata.labels?.[key] === value);

const isServing = (pod: Pod) =>
  podReady(pod) && pod.metadata.deletionTimestamp === undefined && pod.status.phase === "Running";

/** How many pods with these labels are ready at the least from now on. */
export function readyFloorIn(
  world: VirtualWorld,
  labels: Readonly<Record<string, string>>,
): () => number {
  const count = () =>
    world.cluster.store.list(pods).filter(hasLabels(labels)).filter(isServing).length;
  let least = count();
  world.cluster.store.subscribe(({ resource }) => {
    if (resource === pods) least = Math.min(least, count());
  });
  return () => least;
}

/** How many pods of an app there are, with those that come from now on. */
function madeIn(world: VirtualWorld, app: string): () => number {
  const isOwn = hasLabels({ app });
  const uids = new Set(
    world.cluster.store
      .list(pods)
      .filter(isOwn)
      .map(({ metadata }) => metadata.uid),
  );
  world.cluster.store.subscribe(({ resource, after }) => {
    if (resource === pods && after !== undefined && isOwn(after as Pod))
      uids.add(after.metadata.uid);
  });
  return () => uids.size;
}

/** What a Deployment asks for. */
export const countOf = ({ cluster }: VirtualWorld, name: string): number =>
  cluster.store.get({ resource: deployments, namespace: "default", name }).spec.replicas ?? 0;

/** What workloads and autoscalers say of a surge that has not been put back. */
export const leftUp = ({ cluster }: VirtualWorld): readonly string[] =>
  [deployments, replicaSets, autoscalers]
    .flatMap((resource) => [...cluster.store.list<KubeObject>(resource)])
    .flatMap(({ metadata }) => metadata.annotations?.[recordAnnotation] ?? [])
    .filter((text) => (tryRecord({ [recordAnnotation]: text })?.phase ?? "up") === "up");
