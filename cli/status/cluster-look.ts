import { Fault } from "../../lambda/base/fault.ts";
import type { NodeName } from "../../lambda/base/ids.ts";
import type { Instant } from "../../lambda/base/time.ts";
import type { Budget } from "../../lambda/drain/budget.ts";
import type { DrainSettings, MakeRoom } from "../../lambda/drain/drain-policy.ts";
import type { Node } from "../../lambda/drain/node.ts";
import { orphanedDaemonSets } from "../../lambda/drain/orphaned-daemon-sets.flow.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import { type Collection, listAll } from "../../lambda/kubernetes/collection.ts";
import { allNodes, nodesNamed } from "../../lambda/kubernetes/collections.ts";
import type { ClusterAccess } from "../connect/cluster-access.ts";
import { clusterGap } from "../connect/found.ts";
import { listToolsOf, readBudgets } from "../connect/read-budgets.ts";
import { waysToRoom } from "../ways-to-room.ts";
import type { Gap } from "./gap-schema.ts";
import type { LeftPod } from "./left-pod-schema.ts";
import { leftPods } from "./left-pods.ts";
import type { SurgedWorkload } from "./status-schema.ts";
import type { Refusals } from "./under-way.ts";

type UnreadSource = "disruption budgets" | "nodes" | "pods" | "workloads";

/** Reads the cluster for one status, and collects what could not be read. */
export class ClusterLook {
  readonly #access: ClusterAccess;
  readonly #wanted: NodeName | "all";
  readonly #now: Instant;
  readonly gaps: Gap[] = [];
  #budgets: Promise<readonly Budget[]> | undefined;

  constructor(access: ClusterAccess, wanted: NodeName | "all", now: Instant) {
    this.#access = access;
    this.#wanted = wanted;
    this.#now = now;
  }

  nodes(): Promise<readonly Node[]> {
    return this.#list("nodes", [this.#wanted === "all" ? allNodes : nodesNamed(this.#wanted)]);
  }

  /** The remaining pods of a node, each with its reason. */
  async leftOn(
    node: Node,
    settings: DrainSettings,
    refusals: Refusals,
  ): Promise<readonly LeftPod[]> {
    const { cluster } = this.#access;
    const pods = await this.#podsOn(node.name);
    if (pods.length === 0) return [];
    const namespaces = [...new Set(pods.map(({ namespace }) => namespace))];
    this.#budgets ??= this.#budgetsOf(this.#wanted === "all" ? "all" : namespaces);
    const orphaned = await orphanedDaemonSets(pods, { cluster, journal: silent });
    const [budgets, now] = [await this.#budgets, this.#now];
    return leftPods({ node, pods, budgets, orphaned, settings, refusals, now });
  }

  async #podsOn(node: NodeName): Promise<readonly Pod[]> {
    const [found] = await this.#read("pods", async () => [await this.#access.cluster.pods(node)]);
    const { pods, leftOut } = found ?? { pods: [], leftOut: [] };
    for (const namespace of leftOut)
      this.#tooMuch(
        "pods",
        `namespace ${namespace} has too many pods on ${node}, or too large ones`,
        `kubectl get pods --namespace ${namespace} --field-selector spec.nodeName=${node}`,
      );
    return pods;
  }

  async #budgetsOf(namespaces: readonly string[] | "all"): Promise<readonly Budget[]> {
    const source = "disruption budgets";
    const tools = listToolsOf(this.#access);
    const [found] = await this.#read(source, async () => [await readBudgets(namespaces, tools)]);
    const { items, leftOut } = found ?? { items: [], leftOut: [] };
    for (const namespace of leftOut)
      this.#tooMuch(
        source,
        `namespace ${namespace} has too many budgets, or too large ones`,
        `kubectl get pdb --namespace ${namespace}`,
      );
    return items;
  }

  #tooMuch(source: UnreadSource, why: string, command: string): void {
    this.gaps.push({ source, hides: "details", why, remedy: `look at them with ${command}` });
  }

  /** The workloads with raised replicas. If the deployment makes no room, the right to read them is not needed. */
  async surged(makeRoom: MakeRoom): Promise<readonly SurgedWorkload[]> {
    const gaps = [...this.gaps];
    const ways = await Promise.all(waysToRoom.map(({ inStatus }) => inStatus()));
    const surged = await Promise.all(
      ways.map((way) => way.surged(this.#access, (...asked) => this.#read(...asked))),
    );
    if (makeRoom === "off") this.gaps.splice(0, this.gaps.length, ...gaps);
    return surged.flat();
  }

  #list<T>(source: UnreadSource, all: readonly Collection<T>[]): Promise<readonly T[]> {
    const { client } = this.#access;
    const listed = async (one: Collection<T>) => {
      const { items } = await client.ask(`listing ${one.title}`, (to) => listAll(one, to));
      return items;
    };
    return this.#read(source, async () => (await Promise.all(all.map(listed))).flat());
  }

  async #read<T>(
    source: UnreadSource,
    read: () => Promise<readonly T[]>,
    rights = "list nodes, pods and poddisruptionbudgets",
  ): Promise<readonly T[]> {
    try {
      return await read();
    } catch (cause) {
      if (!(cause instanceof Fault)) throw cause;
      if (!this.gaps.some((gap) => gap.source === source))
        this.gaps.push({
          source,
          hides: source === "nodes" ? "nodes" : "details",
          ...clusterGap(cause, rights),
        });
      return [];
    }
  }
}

const silent = { record: () => undefined };
