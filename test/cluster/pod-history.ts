import type { KubernetesObject } from "@kubernetes/client-node";
import { changedPodSchema } from "./changed-pod-schema.ts";
import { Followed } from "./followed.ts";

/** One change of a pod, as a watch reports it. */
export interface PodChange {
  /**
   * The cluster's clock: a change with a higher revision came later, also between different pods.
   */
  readonly revision: number;
  readonly state: "active" | "ending" | "gone";
  readonly ready: boolean;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** Empty until the pod is bound. */
  readonly node: string;
}

function changeOf(phase: string, object: unknown): PodChange {
  const { metadata, spec, status } = changedPodSchema.parse(object);
  const { namespace, name, uid, resourceVersion, deletionTimestamp } = metadata;
  const ending = deletionTimestamp === undefined ? "active" : "ending";
  return {
    revision: Number(resourceVersion),
    state: phase === "DELETED" ? "gone" : ending,
    ready: status?.conditions?.some((it) => it.type === "Ready" && it.status === "True") ?? false,
    namespace,
    name,
    uid,
    node: spec.nodeName ?? "",
  };
}

/** All changes of a cluster's pods in their order, from the start of the history. */
export class PodHistory {
  readonly #changes: PodChange[] = [];
  readonly #followed: Followed<KubernetesObject>;

  /** Starts to record the changes. */
  constructor(kubeconfig: string) {
    this.#followed = new Followed(kubeconfig, "/api/v1/pods", (phase, object) => {
      this.#changes.push(changeOf(phase, object));
    });
  }

  /** The recorded changes of the pods of a namespace. */
  in(namespace: string): readonly PodChange[] {
    return this.#changes.filter((change) => change.namespace === namespace);
  }

  stop(): Promise<void> {
    return this.#followed.stop();
  }
}
