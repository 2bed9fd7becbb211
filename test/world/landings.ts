import { pods } from "../../sandbox/kubernetes/core-resources.ts";
import type { Pod } from "../../sandbox/kubernetes/pod.ts";
import type { VirtualWorld } from "./virtual-world.ts";
import { nodeOf } from "./world-options.ts";

/** The pods that are bound from now on to nodes of these numbers, in that order. */
export function landingsOn(world: VirtualWorld, indexes: readonly number[]): readonly string[] {
  const landed: string[] = [];
  const names = new Set<string | undefined>(indexes.map(nodeOf));
  world.cluster.store.subscribe(({ resource, before, after }) => {
    if (resource !== pods || after === undefined) return;
    const [was, is] = [before as Pod | undefined, after as Pod].map((pod) => pod?.spec.nodeName);
    if (was === undefined && names.has(is)) landed.push(`${after.metadata.name} on ${is}`);
  });
  return landed;
}
