import { seconds } from "../../lambda/base/time.ts";
import type { Pool } from "../../sandbox/aws/pool.ts";
import { excludeLabelledNodes, instanceIn, isExcludedBy } from "../../sandbox/cloud-controller.ts";
import { nodes, pods } from "../../sandbox/kubernetes/core-resources.ts";
import type { Node } from "../../sandbox/kubernetes/node.ts";
import type { Pod } from "../../sandbox/kubernetes/pod.ts";
import type { VirtualWorld } from "./virtual-world.ts";

/** Registers each ready node that no label takes out, as a controller in the cluster does some seconds later. */
export function followNodes(world: VirtualWorld, pool: Pool, port: number): void {
  const isIn = (instance: string) =>
    pool.targets().some((one) => one.instance === instance && one.state !== "draining");
  const follow = (name: string): void => {
    const node = world.cluster.store.tryGet({ resource: nodes, name });
    if (node === undefined) return;
    const { metadata, spec, status } = node;
    const instance = instanceIn(spec.providerID);
    const isReady = status.conditions?.some((it) => it.type === "Ready" && it.status === "True");
    if (isReady === true && !isIn(instance) && !isExcludedBy(metadata.labels))
      pool.register(instance, port);
  };
  world.cluster.store.subscribe(({ resource, before, after }) => {
    if (resource !== nodes) return;
    if (after === undefined) pool.deregister(instanceIn((before as Node).spec.providerID));
    else world.in(seconds(5), () => follow(after.metadata.name));
  });
  excludeLabelledNodes(world);
}

/** Registers the address of each pod that is ready on a node, and takes it out when the pod goes. */
export function followPods(world: VirtualWorld, pool: Pool): void {
  const addresses = new Map<string, string>();
  const begin = ({ metadata: { name, uid } }: Pod): void => {
    const podIP = `10.1.0.${addresses.size + 1}`;
    addresses.set(uid, podIP);
    world.cluster.store.update({ resource: pods, name, namespace: "default" }, (now) => ({
      ...now,
      status: { ...now.status, podIP },
    }));
    world.in(seconds(5), () => pool.register(podIP, 8080));
  };
  const follow = (pod: Pod): void => {
    const address = addresses.get(pod.metadata.uid);
    if (pod.metadata.deletionTimestamp !== undefined) pool.deregister(address ?? "");
    else if (address === undefined && pod.spec.nodeName !== undefined) begin(pod);
  };
  world.cluster.store.subscribe(({ resource, before, after }) => {
    if (resource !== pods) return;
    if (after === undefined) pool.deregister(addresses.get((before as Pod).metadata.uid) ?? "");
    else follow(after as Pod);
  });
}

/** Follows how many targets are healthy, at every second. */
export function sampled(world: VirtualWorld, pool: Pool): readonly number[] {
  const counts: number[] = [];
  const sample = () => {
    const healthy = pool.targets().filter(({ state }) => state === "healthy").length;
    if (counts.at(-1) !== healthy) counts.push(healthy);
    world.in(seconds(1), sample);
  };
  sample();
  return counts;
}
