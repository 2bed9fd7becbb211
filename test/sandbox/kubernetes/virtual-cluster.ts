import { type Duration, instant } from "../../../lambda/base/time.ts";
import { kubeRequest } from "../../../sandbox/kubernetes/api/exchange.ts";
import type { ClusterOptions } from "../../../sandbox/kubernetes/cluster-options.ts";
import { nodes, pods } from "../../../sandbox/kubernetes/core-resources.ts";
import type { KubeObject, ObjectMeta } from "../../../sandbox/kubernetes/kube-object.ts";
import type { Node } from "../../../sandbox/kubernetes/node.ts";
import { type Pod, podReady } from "../../../sandbox/kubernetes/pod.ts";
import { SandboxCluster } from "../../../sandbox/kubernetes/sandbox-cluster.ts";
import type { StatusDetails } from "../../../sandbox/kubernetes/status.ts";
import { VirtualTimeline } from "../../../sandbox/timeline.ts";
import { SandboxWitness } from "../kube-answers/sandbox-witness.ts";
import type { Question, Reply } from "../kube-answers/witness.ts";

/** One line of a watch. */
export interface WatchLine {
  readonly type: string;
  readonly object: {
    readonly kind: string;
    readonly metadata: {
      readonly name?: string;
      readonly resourceVersion?: string;
      readonly annotations?: Readonly<Record<string, string>>;
    };
    readonly message?: string;
    readonly code?: number;
    readonly status?: { readonly phase?: string };
  };
}

/** An open watch, and what it has received. */
export interface OpenWatch {
  readonly lines: readonly WatchLine[];
  readonly summary: readonly string[];
  readonly ended: boolean;
  close(): void;
}

/** An answer, with the parts of its object that tests read. */
export interface Told {
  readonly status: number;
  readonly headers: Reply["headers"];
  readonly text: string;
  readonly body: {
    readonly kind?: string;
    readonly message?: string;
    readonly reason?: string;
    readonly details?: StatusDetails;
    readonly metadata?: Partial<ObjectMeta> & { readonly continue?: string };
    readonly spec?: Readonly<Record<string, unknown>>;
    readonly status?: Readonly<Record<string, unknown>>;
    readonly data?: Readonly<Record<string, string>>;
    readonly items?: readonly KubeObject[];
  };
}

/** A cluster in virtual time, with the requests that tests send to it. */
export class VirtualCluster {
  readonly timeline = new VirtualTimeline(instant(Date.UTC(2026, 10, 20, 10)));
  readonly cluster: SandboxCluster;
  readonly #witness: SandboxWitness;

  constructor(options: ClusterOptions = {}) {
    this.cluster = new SandboxCluster(this.timeline, options);
    this.#witness = new SandboxWitness(this.cluster, this.timeline);
  }

  /** Adds nodes with the given names. */
  withNodes(...names: readonly string[]): this {
    for (const name of names) this.cluster.addNode({ name });
    return this;
  }

  pass(duration: Duration): void {
    this.timeline.pass(duration);
  }

  /** Sends a request, and lets time pass until it is answered. */
  async send(question: Question): Promise<Told> {
    const { status, headers, body } = await this.#witness.ask(question);
    const isJson = headers["content-type"] === "application/json";
    const object = isJson ? (JSON.parse(body) as Told["body"]) : {};
    return { status, headers, text: body, body: object };
  }

  ask(method: string, path: string, body?: unknown): Promise<Told> {
    return this.send({ method, path, body });
  }

  evict(name: string, deleteOptions: object = {}): Promise<Told> {
    const path = `/api/v1/namespaces/default/pods/${name}/eviction`;
    return this.ask("POST", path, { metadata: { name }, deleteOptions });
  }

  patch(path: string, body: unknown, kind = "merge-patch") {
    const headers = { "content-type": `application/${kind}+json` };
    return this.send({ method: "PATCH", path, body, headers });
  }

  cordon(node: string) {
    return this.patch(`/api/v1/nodes/${node}`, { spec: { unschedulable: true } });
  }

  pods(): readonly Pod[] {
    return this.cluster.store.list(pods);
  }

  pod(name: string, namespace = "default"): Pod | undefined {
    return this.cluster.store.tryGet({ resource: pods, namespace, name });
  }

  node(name: string): Node {
    return this.cluster.store.get({ resource: nodes, name });
  }

  /** The names of the ready pods on a node. */
  serving(node: string): readonly string[] {
    return this.pods()
      .filter((pod) => pod.spec.nodeName === node && podReady(pod))
      .map(({ metadata }) => metadata.name);
  }

  async watch(path: string, headers: Question["headers"] = {}): Promise<OpenWatch> {
    const response = await this.cluster.handle(
      kubeRequest("GET", path, { headers: { authorization: "Bearer admin", ...headers } }),
    );
    if (response.kind !== "stream") throw new Error(`no watch: ${JSON.stringify(response)}`);
    const lines: WatchLine[] = [];
    let ended = false;
    const close = response.open({
      write: (chunk) => lines.push(JSON.parse(chunk) as WatchLine),
      end: () => {
        ended = true;
      },
    });
    return {
      lines,
      get summary() {
        return lines.map(({ type, object }) => `${type} ${object.metadata.name ?? ""}`.trim());
      },
      get ended() {
        return ended;
      },
      close,
    };
  }
}
