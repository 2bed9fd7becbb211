import type { Duration } from "../../lambda/base/time.ts";
import { pods } from "../../sandbox/kubernetes/core-resources.ts";
import type { Pod } from "../../sandbox/kubernetes/pod.ts";
import type { PodOptions, WorkloadOptions } from "../../sandbox/kubernetes/pod-draft.ts";
import type { VirtualWorld } from "./virtual-world.ts";
import { nodeOf } from "./world-options.ts";

/** A Deployment's pods, and their differences from the default. */
export interface Placed extends Omit<WorkloadOptions, "pods" | "replicas"> {
  /** The number of pods on each node, by the node's number. */
  readonly on: Readonly<Record<number, number>>;
}

/** Runs a Deployment whose pods are on the given nodes: `web-1`, `web-2` and so on. */
export function deploy({ cluster }: VirtualWorld, { on, ...workload }: Placed): readonly string[] {
  const places = Object.entries(on).flatMap(([node, count]) =>
    Array.from({ length: count }, () => nodeOf(Number(node))),
  );
  const placed = places.map((node, index) => ({ name: `${workload.name}-${index + 1}`, node }));
  cluster.addDeployment({ ...workload, replicas: placed.length, pods: placed });
  return placed.map(({ name }) => name);
}

/** The current pods of the node with this number. */
export const podsOn = ({ cluster }: VirtualWorld, node: number): readonly Pod[] =>
  cluster.store.list(pods).filter(({ spec }) => spec.nodeName === nodeOf(node));

/** The names of those pods. */
export const namesOn = (world: VirtualWorld, node: number): readonly string[] =>
  podsOn(world, node).map(({ metadata }) => metadata.name);

/** A class of pods that leave last. */
export const critical = { priorityClassName: "system-cluster-critical" };

/** A pod with a volume of its own. */
export interface WithVolume
  extends Pick<
    PodOptions,
    "annotations" | "labels" | "name" | "ownerReferences" | "spec" | "status"
  > {
  readonly node: number;
  /** How long after the pod's end its volume is detached. */
  readonly detaching: Duration;
}

/** Runs a pod whose volume `pv-NAME` is attached to its node, until its driver has detached it. */
export function runWithVolume(world: VirtualWorld, withVolume: WithVolume): void {
  const { cluster } = world;
  const { node, detaching, ...pod } = withVolume;
  const { name } = pod;
  const volume = `pv-${name}`;
  cluster.addVolume({ volume, claim: name });
  const attachment = cluster.addVolumeAttachment({ node: nodeOf(node), volume }).metadata.name;
  const volumes = [{ name: "data", persistentVolumeClaim: { claimName: name } }];
  const { metadata } = cluster.addPod({
    ...pod,
    node: nodeOf(node),
    spec: { ...pod.spec, volumes },
  });
  world.onDeparture(({ uid }) => {
    if (uid === metadata.uid) world.in(detaching, () => cluster.detachVolume(attachment));
  });
}
