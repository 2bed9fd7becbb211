import type { NodeName } from "../base/ids.ts";
import { freeOn, type Host, sumOf } from "./node-info.ts";
import { Places } from "./placement.ts";
import { isTerminal } from "./pod-class.ts";
import type { NodeRoom, ReschedulablePod } from "./reschedulable-pod.ts";
import type { Resources } from "./resources.ts";

/** Reads what the pods of a node ask for together; `unread` where others have made them very large. */
export interface AskedReader {
  asked(node: NodeName): Promise<Resources | "unread">;
}

/**
 * The free resources on the nodes of a cluster; it reads the pods of no more nodes than it must.
 */
export class Rooms {
  readonly #hosts: readonly Host[];
  readonly #reader: AskedReader;
  readonly #read = new Map<NodeName, Resources | "unread">();
  /** The places as they are when all nodes have been read. */
  #all: Places | undefined;

  constructor(hosts: readonly Host[], reader: AskedReader) {
    this.#hosts = hosts;
    this.#reader = reader;
  }

  /** Takes the pods of all nodes, which were read in one list. */
  know(all: readonly ReschedulablePod[]): void {
    const pods = Map.groupBy(all, ({ pod }) => pod.node);
    for (const { node } of this.#hosts) this.learn(node.name, pods.get(node.name) ?? []);
    this.#all = this.#places();
  }

  /** Takes the pods of a node, which were read for another reason. */
  learn(node: NodeName, pods: readonly ReschedulablePod[]): void {
    this.#read.set(node, sumOf(pods.filter(({ pod }) => !isTerminal(pod))));
  }

  /**
   * The places that some pods may find, and the number of nodes that were not looked at, which count as empty. It looks at
   * nodes until all pods have a place, until it has looked at a hundred, or until the pods of a few were too large to read.
   */
  async placesFor(
    pods: readonly ReschedulablePod[],
    leaving: ReadonlySet<string>,
  ): Promise<Looked> {
    if (this.#all !== undefined) return { places: this.#all, unread: 0 };
    const places = this.#places();
    const suited = new Set(pods.map((pod) => places.suitable(pod)));
    const names = new Set([...suited].flatMap(({ rooms }) => rooms.map(({ node }) => node.name)));
    const unread = this.#hosts.filter(
      ({ node }) => !this.#read.has(node.name) && names.has(node.name),
    );
    let large = 0;
    let next = 0;
    for (; next < Math.min(unread.length, most) && large < mostLarge; next += batch) {
      if (this.#arePlaced(pods, leaving)) return { places: this.#places(), unread: 0 };
      const some = unread.slice(next, next + batch);
      const read = await Promise.all(some.map(({ node }) => this.#readOne(node.name)));
      large += read.filter((asked) => asked === "unread").length;
    }
    return { places: this.#places(), unread: large + Math.max(0, unread.length - next) };
  }

  async #readOne(node: NodeName): Promise<Resources | "unread"> {
    const asked = await this.#reader.asked(node);
    this.#read.set(node, asked);
    return asked;
  }

  #arePlaced(pods: readonly ReschedulablePod[], leaving: ReadonlySet<string>): boolean {
    const known = this.#hosts.filter(
      ({ node }) => (this.#read.get(node.name) ?? "unread") !== "unread",
    );
    const placed = new Places(known.map((host) => this.#room(host))).of(pods, leaving);
    return [...placed.values()].every(({ kind }) => kind === "place");
  }

  #places(): Places {
    return new Places(this.#hosts.map((host) => this.#room(host)));
  }

  #room({ node, allocatable }: Host): NodeRoom {
    const asked = this.#read.get(node.name) ?? "unread";
    return freeOn({ node, allocatable, requested: asked === "unread" ? {} : asked });
  }
}

/** Places, and how many nodes that might offer some were not looked at. */
export interface Looked {
  readonly places: Places;
  readonly unread: number;
}

const batch = 10;
const most = 100;
const mostLarge = 5;
