import { KubeConfig, Watch } from "@kubernetes/client-node";
import { changedPodSchema } from "./changed-pod-schema.ts";

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
  readonly #watch: Watch;
  readonly #changes: PodChange[] = [];
  readonly #stopping = new AbortController();
  readonly #following: Promise<void>;

  /** Starts to record the changes. */
  constructor(kubeconfig: string) {
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromFile(kubeconfig);
    this.#watch = new Watch(kubeConfig);
    this.#following = this.#follow();
  }

  /** The recorded changes of the pods of a namespace. */
  in(namespace: string): readonly PodChange[] {
    return this.#changes.filter((change) => change.namespace === namespace);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#following;
  }

  // A watch that is silent for long ends; the next one continues at the same version.
  async #follow(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      const { revision = 0 } = this.#changes.at(-1) ?? {};
      await this.#once(revision === 0 ? undefined : `${revision}`);
    }
  }

  async #once(resourceVersion: string | undefined): Promise<void> {
    const { signal } = this.#stopping;
    await new Promise<void>((resolve, reject) => {
      const heard = (phase: string, object: unknown) => {
        this.#changes.push(changeOf(phase, object));
      };
      this.#watch
        .watch("/api/v1/pods", { resourceVersion }, heard, () => resolve())
        .then((asked) => {
          if (signal.aborted) asked.abort();
          signal.addEventListener("abort", () => asked.abort(), { once: true });
        }, reject);
    });
  }
}
