import { isDeepStrictEqual } from "node:util";
import type { V1Pod } from "@kubernetes/client-node";
import type { InstanceId } from "../../lambda/base/ids.ts";
import type { Attachment } from "../../lambda/drain/attachment.ts";
import { isExcluded, markedAtAnnotation } from "../../lambda/drain/marking.ts";
import { type Node, runsOn } from "../../lambda/drain/node.ts";
import { isLeaving, type ScalingGroup } from "../../lambda/group/scaling-group.ts";
import { pathIn } from "../../lambda/kubernetes/api-path.ts";
import type { AsSent } from "../../lambda/kubernetes/as-sent.ts";
import { allAttachments, allNodes, collectionOf } from "../../lambda/kubernetes/collections.ts";
import { Informer } from "../../lambda/kubernetes/informer.ts";
import type { KubeClient } from "../../lambda/kubernetes/kube-connection.ts";
import { podOf } from "../../lambda/kubernetes/pod-of.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { namespace } from "./probe.ts";
import type { Observation, ProbePod } from "./promises.ts";

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
  const ending = termination.kind === "terminating";
  return { uid, name, node, ready, ending, version: Number(resourceVersion) };
}

/**
 * Observes the cluster from outside: it watches nodes, pods and volumes, is given the state of the group, and keeps every
 * change.
 */
export class Watcher {
  readonly sights: Observation[] = [];
  /** The state of the instance at the last look. */
  state = "";
  readonly #nodes: Informer<Node>;
  readonly #pods: Informer<ProbePod>;
  readonly #attachments: Informer<Attachment>;
  /** Nodes that were touched before the trial, nodes of other instances touched since, and instances that are leaving. */
  #before: ReadonlySet<string> = new Set();
  readonly #touched = new Map<string, Node>();
  readonly #left = new Set<InstanceId>();
  #instance: InstanceId | undefined;

  constructor(client: KubeClient) {
    const tools = { client, clock: systemClock, wakeup: { notify: () => this.#look() } };
    this.#nodes = new Informer(allNodes, tools);
    this.#pods = new Informer(probePods, tools);
    this.#attachments = new Informer(allAttachments, tools);
  }

  /** Begins to watch, and notes which nodes are cordoned already. */
  async start(): Promise<void> {
    await Promise.all([this.#nodes.start(), this.#pods.start(), this.#attachments.start()]);
    this.#before = new Set(this.#touchedNow().map(({ uid }) => uid));
    this.sights.length = 0;
  }

  close(): void {
    for (const one of [this.#nodes, this.#pods, this.#attachments]) one.close();
  }

  /** The instance to observe from now on. */
  attend(instance: InstanceId): void {
    this.#instance = instance;
  }

  /** The node of the instance, if it has joined. */
  node(): Node | undefined {
    return this.#nodes.items().find((node) => this.#isOwn(node));
  }

  pods(): readonly ProbePod[] {
    return this.#pods.items();
  }

  /** Takes the state of the group, and whether EC2 is ending the instance. */
  see({ instances }: ScalingGroup, isDown: boolean): void {
    for (const { id } of instances.filter(isLeaving)) this.#left.add(id);
    const { state = "gone" } = instances.find(({ id }) => id === this.#instance) ?? {};
    const its = isDown && state !== "gone" ? "ended by EC2" : state;
    this.state = this.#instance === undefined ? "" : its;
    this.#look();
  }

  #look(): void {
    const own = this.node();
    for (const node of this.#touchedNow())
      if (!this.#isOwn(node)) this.#touched.set(node.uid, node);
    const isMarked = own?.unschedulable === true && isExcluded(own);
    const last = this.sights.at(-1);
    const sight = {
      state: this.state,
      node: {
        ready: own?.readiness === "ready",
        // The resource version of the mark, and not of a later write.
        marked: isMarked ? last?.node.marked || Number(own.resourceVersion) : 0,
      },
      pods: this.#pods.items(),
      volumes: this.#attachments
        .items()
        .filter(({ node, state }) => node === own?.name && state === "attached")
        .map(({ volume }) => volume),
      touched: [...this.#touched.values()]
        .filter((node) => !(this.#before.has(node.uid) || this.#hasLeft(node)))
        .map(({ name }) => name),
    };
    if (last === undefined || !isDeepStrictEqual(last, { ...sight, at: last.at }))
      this.sights.push({ ...sight, at: systemClock.now() });
  }

  #touchedNow(): readonly Node[] {
    const isTouched = ({ unschedulable, annotations }: Node) =>
      unschedulable || markedAtAnnotation in annotations;
    return this.#nodes.items().filter(isTouched);
  }

  readonly #isOwn = (node: Node): boolean =>
    this.#instance !== undefined && runsOn(node, this.#instance);

  /** True if its group ends it for another reason. The group may say so later than the cluster. */
  #hasLeft(node: Node): boolean {
    return [...this.#left].some((id) => runsOn(node, id));
  }
}
