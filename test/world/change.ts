import { budgets, type PodDisruptionBudget } from "../../sandbox/kubernetes/budget.ts";
import { nodes, pods } from "../../sandbox/kubernetes/core-resources.ts";
import { Deleter } from "../../sandbox/kubernetes/deletion.ts";
import type { Node } from "../../sandbox/kubernetes/node.ts";
import { volumeAttachments } from "../../sandbox/kubernetes/volume-resources.ts";
import type { VirtualWorld } from "./virtual-world.ts";
import { nodeOf } from "./world-options.ts";

/** Somebody changes the rule of a budget. */
export function changeBudget(
  { cluster }: VirtualWorld,
  name: string,
  rule: Pick<PodDisruptionBudget["spec"], "maxUnavailable" | "minAvailable">,
): void {
  const ref = { resource: budgets, namespace: "default", name };
  cluster.store.update(ref, (budget) => ({ ...budget, spec: { ...budget.spec, ...rule } }));
}

/** The disruption controller finds that a budget allows one more disruption. */
export function allowOne({ cluster }: VirtualWorld, name: string): void {
  const ref = { resource: budgets, namespace: "default", name };
  cluster.store.update(ref, ({ status, ...budget }) => ({
    ...budget,
    status: { ...status, disruptionsAllowed: 1 },
  }));
}

/** Somebody changes the node with this number. */
export function changeNode(
  { cluster }: VirtualWorld,
  index: number,
  change: (node: Node) => Node,
): void {
  cluster.store.update({ resource: nodes, name: nodeOf(index) }, change);
}

/** Somebody cordons the node with this number. */
export const cordon = (world: VirtualWorld, index: number): void =>
  changeNode(world, index, ({ spec, ...node }) => ({
    ...node,
    spec: { ...spec, unschedulable: true },
  }));

/** Somebody uncordons the node with this number. */
export const uncordon = (world: VirtualWorld, index: number): void =>
  changeNode(world, index, ({ spec, ...node }) => ({
    ...node,
    spec: { ...spec, unschedulable: false },
  }));

/** The current state of the node with this number. */
export const nodeNow = ({ cluster }: VirtualWorld, index: number): Node =>
  cluster.store.get({ resource: nodes, name: nodeOf(index) });

/** Somebody deletes a pod, with its own grace. */
export function deletePod({ cluster, timeline }: VirtualWorld, name: string): void {
  const ref = { resource: pods, namespace: "default", name };
  new Deleter(cluster.store, () => timeline.now()).delete(ref);
}

/** A driver has detached a volume, and a finalizer still keeps the attachment. */
export function deleteAttachment({ cluster, timeline }: VirtualWorld, volume: string): void {
  const all = cluster.store.list(volumeAttachments);
  const found = all.find(({ spec }) => spec.source.persistentVolumeName === volume);
  const ref = { resource: volumeAttachments, name: found?.metadata.name ?? "" };
  cluster.store.update(ref, (it) => ({
    ...it,
    metadata: { ...it.metadata, finalizers: ["external-attacher/ebs-csi-aws-com"] },
    status: { ...it.status, attached: false },
  }));
  new Deleter(cluster.store, () => timeline.now()).delete(ref);
}
