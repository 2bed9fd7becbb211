import { KubeConfig, type KubernetesObject, Watch } from "@kubernetes/client-node";

type Heard<T extends KubernetesObject> = (phase: string, object: T) => void;

/** Hears what there is of a kind, and all its changes in their order. */
export class Followed<T extends KubernetesObject> {
  readonly #watch: Watch;
  readonly #path: string;
  readonly #heard: Heard<T>;
  readonly #stopping = new AbortController();
  readonly #following: Promise<void>;
  #version: string | undefined;

  /** Starts to follow the objects of a path of the API. */
  constructor(kubeconfig: string, path: string, heard: Heard<T>) {
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromFile(kubeconfig);
    this.#watch = new Watch(kubeConfig);
    this.#path = path;
    this.#heard = heard;
    this.#following = this.#follow();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#following;
  }

  // A watch that is silent for long ends; the next one continues at the same version.
  async #follow(): Promise<void> {
    while (!this.#stopping.signal.aborted) await this.#once();
  }

  async #once(): Promise<void> {
    const { signal } = this.#stopping;
    const query = { resourceVersion: this.#version };
    const heard = (phase: string, object: T) => {
      this.#version = object.metadata?.resourceVersion ?? this.#version;
      this.#heard(phase, object);
    };
    await new Promise<void>((resolve, reject) => {
      this.#watch
        .watch(this.#path, query, heard, () => resolve())
        .then((asked) => {
          if (signal.aborted) asked.abort();
          signal.addEventListener("abort", () => asked.abort(), { once: true });
        }, reject);
    });
  }
}
