import type { V1Pod } from "@kubernetes/client-node";
import type { Attachment } from "../../lambda/drain/attachment.ts";
import { isExcluded, markedAtAnnotation } from "../../lambda/drain/marking.ts";
import { type Node, runsOn } from "../../lambda/drain/node.ts";
import { type Fleet, isLeaving } from "../../lambda/group/fleet.ts";
import type { AsSent } from "../../lambda/kubernetes/as-sent.ts";
import { allAttachments, allNodes, collectionOf } from "../../lambda/kubernetes/collections.ts";
import { pathIn } from "../../lambda/kubernetes/core-path.ts";
import { Informer } from "../../lambda/kubernetes/informer.ts";
import type { KubeClient } from "../../lambda/kubernetes/kube-client.ts";
import { podOf } from "../../lambda/kubernetes/pod-of.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { namespace } from "./probe.ts";
import { gone, type ProbePod, type Sight, type Trial } from "./trial.ts";

const probePods = collectionOf<V1Pod, ProbePod>({
  title: `pods of namespace ${namespace}`,
  path: pathIn(namespace, "pods"),
  query: {},
  start: "listed",
  itemOf: probePodOf,
  uid: ({ uid }) => uid,
});

function probePodOf(sent: AsSent<V1Pod>): ProbePod {
  const { uid, name, node, ready, termination } = podOf(sent);
  const { resourceVersion = "" } = sent.metadata ?? {};
  return {
    ...{ uid, name, node, ready, version: Number(resourceVersion) },
    ending: termination.kind === "terminating",
  };
}

const isTouched = (node: Node): boolean =>
  node.unschedulable || markedAtAnnotation in node.annotations;

/** Notes what can be seen of a trial from outside: it watches nodes, pods and volumes, and is told of the group. */
export class Watcher {
  readonly #sights: Sight[] = [];
  readonly #nodes: Informer<Node>;
  readonly #pods: Informer<ProbePod>;
  readonly #attachments: Informer<Attachment>;
  readonly #touchedBefore = new Set<string>();
  #trial: Pick<Trial, "instance"> = {};
  #fleet: Fleet | undefined;
  #noted = "";

  constructor(client: KubeClient) {
    const tools = { client, clock: systemClock };
    const hear = (news: readonly Node[] | "all") =>
      this.#hearNodes(news === "all" ? this.#nodes.items() : news.slice(-1));
    this.#nodes = new Informer(allNodes, { ...tools, bell: { ring: hear } });
    this.#pods = new Informer(probePods, { ...tools, bell: { ring: () => this.#notePods() } });
    this.#attachments = new Informer(allAttachments, {
      ...{ ...tools, bell: { ring: () => this.#noteVolumes() } },
    });
  }

  /** Begins to watch, and remembers which nodes are cordoned already. */
  async start(): Promise<void> {
    await Promise.all([this.#nodes.start(), this.#pods.start(), this.#attachments.start()]);
    for (const node of this.#nodes.items()) if (isTouched(node)) this.#touchedBefore.add(node.uid);
    this.#sights.length = 0;
  }

  close(): void {
    for (const one of [this.#nodes, this.#pods, this.#attachments]) one.close();
  }

  get sights(): readonly Sight[] {
    return this.#sights;
  }

  /** The instance that matters from now on. */
  attend(trial: Pick<Trial, "instance">): void {
    this.#trial = trial;
    const node = this.node();
    if (node !== undefined) this.#noteOwn(node);
  }

  /** The node of the instance, if it has joined. */
  node(): Node | undefined {
    const { instance } = this.#trial;
    return this.#nodes.items().find((node) => instance !== undefined && runsOn(node, instance));
  }

  pods(): readonly ProbePod[] {
    return this.#pods.items();
  }

  /** Notes how the group looks. */
  see(fleet: Fleet): void {
    this.#fleet = fleet;
    const { instance } = this.#trial;
    if (instance === undefined) return;
    const state = fleet.instances.find(({ id }) => id === instance)?.state ?? gone;
    if (state !== this.#noted) this.#note({ kind: "state", state });
    this.#noted = state;
  }

  /** Notes how a request went. */
  asked(failure: string): void {
    this.#note({ kind: "request", failure });
  }

  #note(sight: SightBody): void {
    this.#sights.push({ ...sight, at: systemClock.now() });
  }

  #notePods(): void {
    this.#note({ kind: "pods", pods: this.#pods.items() });
  }

  #noteVolumes(): void {
    const { name } = this.node() ?? {};
    const its = this.#attachments
      .items()
      .filter(({ node, state }) => node === name && state === "attached");
    this.#note({ kind: "volumes", volumes: its.map(({ volume }) => volume) });
  }

  #hearNodes(nodes: readonly Node[]): void {
    const { instance } = this.#trial;
    for (const node of nodes)
      if (instance !== undefined && runsOn(node, instance)) this.#noteOwn(node);
      else if (isTouched(node) && !this.#touchedBefore.has(node.uid) && !this.#isLeaving(node))
        this.#note({ kind: "touched", node: node.name });
  }

  #noteOwn(node: Node): void {
    if (node.readiness === "ready") this.#note({ kind: "ready" });
    if (node.unschedulable && isExcluded(node))
      this.#note({ kind: "marked", version: Number(node.resourceVersion) });
  }

  /** Whether the group ends a node's instance for another reason. */
  #isLeaving(node: Node): boolean {
    const member = this.#fleet?.instances.find(({ id }) => runsOn(node, id));
    return member !== undefined && isLeaving(member);
  }
}

type SightBody = Sight extends infer One ? (One extends Sight ? Omit<One, "at"> : never) : never;
