import { mostVolumes } from "./attachment.ts";
import type { Node } from "./node.ts";
import type { Pod } from "./pod.ts";
import { claimTitle } from "./pod-claims.ts";
import { type Scene, staysWithNode } from "./pod-class.ts";

/** The volumes of a node, as a pass has seen them. */
export class VolumesOfNode {
  /** One more than are looked at shows that there are more. */
  readonly #volumes = new Set<string>();
  readonly #claims = new Set<string>();
  /** Claims of pods that ran when the node was read: if such a volume is not in its status, it is attached nowhere. */
  readonly #settled = new Set<string>();
  #left: "some" | "none" = "none";

  /** Looks at the node's status and at its pods. */
  look(pods: readonly Pod[], scene: Scene): void {
    this.#list(scene.node);
    for (const pod of pods) {
      for (const claim of titlesOf(pod)) this.#claims.add(claim);
      if (pod.claims.length > 0 && !staysWithNode(pod, scene)) this.#left = "some";
    }
  }

  /**
   * Looks at the node's status while pods run. A kubelet starts a pod only once the status lists each volume of it that has
   * to be attached.
   * @see https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/volume/util/operationexecutor/operation_generator.go (GenerateVerifyControllerAttachedVolumeFunc)
   */
  settle(node: Node, running: readonly Pod[]): void {
    this.#list(node);
    for (const claim of running.flatMap(titlesOf)) this.#settled.add(claim);
  }

  #list({ volumes }: Node): void {
    for (const volume of volumes) if (this.#volumes.size <= mostVolumes) this.#volumes.add(volume);
  }

  /** Whether the node's status may not list all volumes: it has fewer than there are claims. */
  isShort(): boolean {
    const isSettled = [...this.#claims].every((claim) => this.#settled.has(claim));
    return this.#claims.size > this.#volumes.size && !isSettled;
  }

  /** Whether volumes may be left behind: a pod that leaves has claims, or the node's status lists volumes. */
  mayFind(): boolean {
    return this.#left === "some" || this.#volumes.size > 0;
  }

  /**
   * The volumes by the names in the node's status; `unknown` if that may not be all of them.
   *
   * A volume stays in the status until its pod's kubelet has unmounted it. Kubernetes takes it out before the driver
   * begins to detach it, so a volume that has been seen once counts until the pass ends.
   * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/volume/attachdetach/reconciler/reconciler.go
   */
  volumes(): readonly string[] | "unknown" {
    const isUnknown = this.isShort() || this.#volumes.size > mostVolumes;
    return isUnknown ? "unknown" : [...this.#volumes];
  }
}

const titlesOf = ({ namespace, claims }: Pod): readonly string[] =>
  claims.map((name) => claimTitle({ namespace, name }));
