import type { NodeName } from "../base/ids.ts";
import { type Host, roomOn, sumOf } from "../drain/node-info.ts";
import { tryObstacle } from "../drain/obstacle.ts";
import { Places } from "../drain/placement.ts";
import { isTerminal } from "../drain/pod-class.ts";
import type { NodeRoom, ReschedulablePod } from "../drain/reschedulable-pod.ts";

/** Reads the pods of a node. */
export interface PodReader<P extends ReschedulablePod> {
  pods(node: NodeName): Promise<readonly P[]>;
}

/** What is free on the nodes of a cluster; it reads the pods of no more nodes than it must. */
export class Rooms<P extends ReschedulablePod> {
  readonly #hosts: readonly Host[];
  readonly #reader: PodReader<P>;
  readonly #read: Map<NodeName, readonly P[]>;
  /** The places as they are when all nodes have been read. */
  #all: Places | undefined;

  constructor(hosts: readonly Host[], reader: PodReader<P>) {
    this.#hosts = hosts;
    this.#reader = reader;
    this.#read = new Map();
  }

  /** Takes the pods of all nodes, which were read in one list. */
  know(all: readonly P[]): void {
    const pods = Map.groupBy(all, ({ pod }) => pod.node);
    for (const { node } of this.#hosts) this.#read.set(node.name, pods.get(node.name) ?? []);
    this.#all = this.#places();
  }

  async podsOn(node: NodeName): Promise<readonly P[]> {
    const pods = this.#read.get(node) ?? (await this.#reader.pods(node));
    this.#read.set(node, pods);
    return pods;
  }

  /**
   * The places that some pods may find, and the number of nodes that were not looked at, which count as empty. It looks at
   * nodes until all pods have a place, or until it has looked at a hundred.
   */
  async placesFor(
    pods: readonly ReschedulablePod[],
    leaving: ReadonlySet<string>,
  ): Promise<Looked> {
    if (this.#all !== undefined) return { places: this.#all, unread: 0 };
    const unread = this.#hosts.filter(
      ({ node }) => !this.#read.has(node.name) && pods.some((pod) => !tryObstacle(pod, node)),
    );
    for (let next = 0; next < Math.min(unread.length, most); next += batch) {
      if (this.#arePlaced(pods, leaving)) return { places: this.#places(), unread: 0 };
      const some = unread.slice(next, next + batch);
      await Promise.all(some.map(({ node }) => this.podsOn(node.name)));
    }
    return { places: this.#places(), unread: Math.max(0, unread.length - most) };
  }

  #arePlaced(pods: readonly ReschedulablePod[], leaving: ReadonlySet<string>): boolean {
    const known = this.#hosts.filter(({ node }) => this.#read.has(node.name));
    const placed = new Places(known.map((host) => this.#room(host))).of(pods, leaving);
    return [...placed.values()].every(({ kind }) => kind === "place");
  }

  #places(): Places {
    return new Places(this.#hosts.map((host) => this.#room(host)));
  }

  #room({ node, allocatable }: Host): NodeRoom {
    const pods = (this.#read.get(node.name) ?? []).filter(({ pod }) => !isTerminal(pod));
    return roomOn({ node, allocatable, asked: sumOf(pods) });
  }
}

/** Places, and how many nodes that might offer some were not looked at. */
export interface Looked {
  readonly places: Places;
  readonly unread: number;
}

const batch = 10;
const most = 100;
