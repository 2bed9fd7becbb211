import type { Node } from "./node.ts";
import type { NodeRoom, ReschedulablePod } from "./reschedulable-pod.ts";
import { type Resources, total } from "./resources.ts";

/** A node, with what its pods may ask for together. */
export interface Host<N extends Node = Node> {
  readonly node: N;
  readonly allocatable: Resources;
}

/** A node with its pods, and with what they do ask for. */
export interface NodeInfo<N extends Node = Node> extends Host<N> {
  readonly requested: Resources;
  /** Its pods that have not ended, if they are needed. */
  readonly pods: readonly ReschedulablePod[];
}

/** A node with what is free on it; never less than nothing. Pods may ask for thousands of resources that it does not have. */
export function freeOn({ node, allocatable, requested }: Omit<NodeInfo, "pods">): NodeRoom {
  const free = Object.entries(allocatable).map(
    ([name, amount]) => [name, Math.max(0, amount - (requested[name] ?? 0))] as const,
  );
  return { node, free: Object.fromEntries(free) };
}

/** The sum of some pods' requests. */
export const sumOf = (pods: readonly Pick<ReschedulablePod, "requests">[]): Resources =>
  total(pods.map(({ requests }) => requests));
