import type { Pod } from "./pod.ts";
import { type Scene, staysWithNode } from "./pod-class.ts";

/** What a pass has seen of the volumes of its node. */
export class VolumeSight {
  readonly #volumes = new Set<string>();
  readonly #claims = new Set<string>();
  #left: "some" | "none" = "none";

  /** Looks at the node's status and at its pods. */
  look(pods: readonly Pod[], scene: Scene): void {
    for (const volume of scene.node.volumes) this.#volumes.add(volume);
    for (const pod of pods) {
      for (const claim of pod.claims) this.#claims.add(`${pod.namespace}/${claim}`);
      if (pod.claims.length > 0 && !staysWithNode(pod, scene)) this.#left = "some";
    }
  }

  /** Whether volumes may be left behind: a pod that leaves has claims, or the node's status lists volumes. */
  mayFind(): boolean {
    return this.#left === "some" || this.#volumes.size > 0;
  }

  /**
   * The volumes by the names in the node's status; `unknown` if there are more claims than that. A volume that was
   * attached after the node was read is one reason.
   *
   * A volume stays in the status until its pod's kubelet has unmounted it. Kubernetes takes it out before the driver
   * begins to detach it, so a volume that has been seen once counts until the pass ends.
   * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/volume/attachdetach/reconciler/reconciler.go
   */
  volumes(): readonly string[] | "unknown" {
    return this.#claims.size > this.#volumes.size ? "unknown" : [...this.#volumes];
  }
}
