import { milliseconds } from "../../../lambda/base/time.ts";
import { kubeRequest } from "../../../sandbox/kubernetes/api/exchange.ts";
import type { SandboxCluster } from "../../../sandbox/kubernetes/sandbox-cluster.ts";
import type { VirtualTimeline } from "../../../sandbox/timeline.ts";
import { inEndingNamespace } from "../../world/refusal.ts";
import type { Question, Reply, Witness } from "./witness.ts";

const tokens = { admin: "admin", impostor: "nobody" } as const;

/** The sandbox's cluster, in virtual time. */
export class SandboxWitness implements Witness {
  readonly #cluster: SandboxCluster;
  readonly #timeline: VirtualTimeline;

  constructor(cluster: SandboxCluster, timeline: VirtualTimeline) {
    this.#cluster = cluster;
    this.#timeline = timeline;
  }

  async ask({ method = "GET", path, body, headers = {}, as = "admin" }: Question): Promise<Reply> {
    const identity = as === "nobody" ? {} : { authorization: `Bearer ${tokens[as]}` };
    const sent = { "content-type": "application/json", ...identity, ...headers };
    const request = kubeRequest(method, path, { body, headers: sent });
    const response = await this.#cluster.handle(request);
    if (response.kind === "answer") return response;
    if (response.kind !== "stream") throw new Error(`the connection: ${response.kind}`);
    let text = "";
    let ended = !path.includes("timeoutSeconds=");
    const end = (): void => {
      ended = true;
    };
    const close = response.open({ write: (chunk) => (text += chunk), end });
    while (!ended) await this.pass();
    close();
    return { ...response, body: text };
  }

  async pass(): Promise<void> {
    this.#timeline.pass(milliseconds(100));
    await new Promise(setImmediate);
  }

  async holdBudgets(): Promise<void> {
    this.#cluster.holdBudgets();
  }

  async releaseBudgets(): Promise<void> {
    this.#cluster.releaseBudgets();
  }

  async forgetHistory(): Promise<void> {
    this.#cluster.store.compact();
  }

  /** Nothing ends slowly in the sandbox; tests plan the fault that a drain meets then. */
  async endNamespace(namespace: string, pod: string): Promise<void> {
    this.#cluster.failNext({ namespace }, inEndingNamespace(namespace, pod));
  }
}
