import { Fault } from "../../lambda/base/fault.ts";
import type { NodeName } from "../../lambda/base/ids.ts";
import type { Instant } from "../../lambda/base/time.ts";
import type { Budget } from "../../lambda/drain/budget.ts";
import type { DrainSettings } from "../../lambda/drain/drain-policy.ts";
import type { Node } from "../../lambda/drain/node.ts";
import { orphanedDaemonSets } from "../../lambda/drain/orphaned-daemon-sets.flow.ts";
import { type Collection, listAll } from "../../lambda/kubernetes/collection.ts";
import {
  allBudgets,
  allNodes,
  budgetsIn,
  nodesNamed,
} from "../../lambda/kubernetes/collections.ts";
import type { ClusterAccess } from "../connect/cluster-access.ts";
import { clusterGap } from "../connect/cluster-gap.ts";
import { leftPods } from "./left-pods.ts";
import type { Gap, LeftPod } from "./status-schema.ts";

/** Reads the cluster for one look at one node or at all, and notes what it could not read. */
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

  /** The pods that are left on a node, each with its reason. */
  async leftOn(node: Node, settings: DrainSettings): Promise<readonly LeftPod[]> {
    const { cluster } = this.#access;
    const pods = await this.#read("pods", () => cluster.pods(node.name));
    if (pods.length === 0) return [];
    const namespaces = [...new Set(pods.map(({ namespace }) => namespace))];
    const all = this.#wanted === "all" ? [allBudgets] : namespaces.map(budgetsIn);
    this.#budgets ??= this.#list("disruption budgets", all);
    const orphaned = await orphanedDaemonSets(pods, { cluster, journal: silent });
    return leftPods({
      ...{ node, pods, orphaned, settings },
      budgets: await this.#budgets,
      now: this.#now,
    });
  }

  #list<T>(source: string, all: readonly Collection<T>[]): Promise<readonly T[]> {
    const { client } = this.#access;
    const listed = async (one: Collection<T>) => {
      const { items } = await client.ask(`listing ${one.title}`, (to) => listAll(one, to));
      return items;
    };
    return this.#read(source, async () => (await Promise.all(all.map(listed))).flat());
  }

  async #read<T>(source: string, read: () => Promise<readonly T[]>): Promise<readonly T[]> {
    try {
      return await read();
    } catch (cause) {
      if (!(cause instanceof Fault)) throw cause;
      if (!this.gaps.some((gap) => gap.source === source))
        this.gaps.push({
          source,
          ...clusterGap(cause, "list nodes, pods and poddisruptionbudgets"),
        });
      return [];
    }
  }
}

const silent = { record: () => undefined };
