import type { Instant } from "../../lambda/base/time.ts";
import type { Change } from "../../sandbox/kubernetes/change-log.ts";
import { pods } from "../../sandbox/kubernetes/core-resources.ts";
import { terminating } from "../../sandbox/kubernetes/kube-object.ts";
import type { Pod } from "../../sandbox/kubernetes/pod.ts";
import { hasEnded } from "./pod-facts.ts";
import type { VirtualWorld } from "./virtual-world.ts";

/** A pod's last known state, with the time of each step to the millisecond. */
export interface KnownPod {
  readonly pod: Pod;
  readonly created: Instant;
  /** When the pod was bound to a node. */
  readonly bound: Instant | undefined;
  /** When the pod began to terminate. */
  readonly told: Instant | undefined;
  /** When the pod ended by itself. */
  readonly ended: Instant | undefined;
}

/** Every pod that ever existed. */
export class PodHistory {
  readonly #world: VirtualWorld;
  readonly #known = new Map<string, KnownPod>();

  constructor(world: VirtualWorld) {
    this.#world = world;
    for (const pod of world.cluster.store.list(pods)) this.#note(pod);
    world.cluster.store.subscribe((change) => this.#hear(change));
  }

  tryPod(uid: string): KnownPod | undefined {
    return this.#known.get(uid);
  }

  #hear({ resource, after }: Change): void {
    if (resource === pods && after !== undefined) this.#note(after as Pod);
  }

  #note(pod: Pod): void {
    const now = this.#world.timeline.now();
    const { created = now, bound, told, ended } = this.#known.get(pod.metadata.uid) ?? {};
    this.#known.set(pod.metadata.uid, {
      pod,
      created,
      bound: bound ?? (pod.spec.nodeName === undefined ? undefined : now),
      told: told ?? (terminating(pod) ? now : undefined),
      ended: hasEnded(pod) ? (ended ?? now) : undefined,
    });
  }
}
