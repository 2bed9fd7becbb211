import { listAll } from "../../lambda/adapters/kubernetes/watch/collection.ts";
import { allBudgets, allNodes } from "../../lambda/adapters/kubernetes/watch/collections.ts";
import type { DrainSettings } from "../../lambda/domain/drain/drain-policy.ts";
import type { Node } from "../../lambda/domain/node/node.ts";
import type { Budget } from "../../lambda/domain/pod/budget.ts";
import type { Instant } from "../../lambda/domain/time.ts";
import { Fault } from "../../lambda/fault.ts";
import { orphanedDaemonSets } from "../../lambda/flows/drain/orphaned-daemon-sets.ts";
import type { ClusterAccess } from "../connect/cluster-access.ts";
import { clusterGap } from "../connect/cluster-gap.ts";
import type { Gap, LeftPod } from "../json/status-schema.ts";
import { leftPods } from "./left-pods.ts";

/** Reads the cluster for one look, and notes what it could not read. */
export class ClusterLook {
  readonly #access: ClusterAccess;
  readonly #now: Instant;
  readonly gaps: Gap[] = [];
  #budgets: Promise<readonly Budget[]> | undefined;

  constructor(access: ClusterAccess, now: Instant) {
    this.#access = access;
    this.#now = now;
  }

  nodes(): Promise<readonly Node[]> {
    const { client } = this.#access;
    return this.#read("nodes", async () => {
      const { items } = await client.ask("listing nodes", (to) => listAll(allNodes, to));
      return items;
    });
  }

  /** The pods that are left on a node, each with its reason. */
  async leftOn(node: Node, settings: DrainSettings): Promise<readonly LeftPod[]> {
    const { cluster } = this.#access;
    const pods = await this.#read("pods", () => cluster.pods(node.name));
    if (pods.length === 0) return [];
    this.#budgets ??= this.#allBudgets();
    const orphaned = await orphanedDaemonSets(pods, { cluster, journal: silent });
    return leftPods({
      ...{ node, pods, orphaned, settings },
      budgets: await this.#budgets,
      now: this.#now,
    });
  }

  #allBudgets(): Promise<readonly Budget[]> {
    const { client } = this.#access;
    return this.#read("disruption budgets", async () => {
      const { items } = await client.ask("listing disruption budgets", (to) =>
        listAll(allBudgets, to),
      );
      return items;
    });
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
