import { setImmediate } from "node:timers/promises";
import type { V1Node } from "@kubernetes/client-node";
import type { NodeName } from "../../domain/ids.ts";
import type { Node } from "../../domain/node/node.ts";
import { instant, later, milliseconds } from "../../domain/time.ts";
import { Bell } from "../../ports/bell.ts";
import type { Clock } from "../../ports/clock.ts";
import type { KubeClient } from "./connection/kube-client.ts";
import { readJson } from "./connection/send-request.ts";
import { nodeOf } from "./objects/node-of.ts";
import { itemsIn, type PageSent } from "./objects/page-sent.ts";
import { allNodes } from "./watch/collections.ts";

// The drains of a batch begin within some tens of milliseconds, and marks of peers end so.
const pause = milliseconds(30);
// After that each node is read by itself, and a list that comes later is in vain.
const patience = milliseconds(750);
// A node is marked soon after it was read, and 30 peers at a time.
const mostReaders = 40;
const longestLabel = 63;

interface Gathering {
  /** The names that each reader looks for. */
  readonly readers: (readonly NodeName[])[];
  readonly nodes: Promise<readonly Node[]>;
}

/** Reads the nodes that the drains of this process look for at the same time, by one list for all of them. */
export class NodeReads {
  readonly #client: Pick<KubeClient, "once">;
  readonly #clock: Clock;
  #open: Gathering | undefined;
  #next = instant(0);

  constructor(client: Pick<KubeClient, "once">, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /**
   * Nodes that may have one of these names. There are none for a single reader, who goes on at once, and none where the
   * list fails: what is missing has to be read by itself, and may be there.
   */
  async listed(names: readonly NodeName[]): Promise<readonly Node[]> {
    const values = names.filter(({ length }) => length <= longestLabel);
    if (values.length === 0) return [];
    const gathering = this.#open ?? this.#gather();
    gathering.readers.push(values);
    this.#open = gathering.readers.length < mostReaders ? gathering : undefined;
    return gathering.nodes;
  }

  #gather(): Gathering {
    const readers: (readonly NodeName[])[] = [];
    return { readers, nodes: this.#read(readers) };
  }

  async #read(readers: Gathering["readers"]): Promise<readonly Node[]> {
    const clock = this.#clock;
    if (clock.now() < this.#next) await clock.sleep(this.#next, new Bell());
    else await setImmediate(); // all who ask in this turn of the event loop
    if (this.#open?.readers === readers) this.#open = undefined;
    this.#next = later(clock.now(), pause);
    return readers.length === 1 ? [] : this.#inTime(readers.flat());
  }

  async #inTime(names: readonly NodeName[]): Promise<readonly Node[]> {
    const told = new Bell();
    let nodes: readonly Node[] = [];
    const keep = (found: readonly Node[]) => {
      nodes = found;
    };
    void this.#list(names)
      .then(keep, () => undefined)
      .finally(() => told.ring());
    await this.#clock.sleep(later(this.#clock.now(), patience), told);
    return nodes;
  }

  /** Without a version and a limit the list is as fresh as a read, and comes out of the API server's memory. */
  #list(names: readonly NodeName[]): Promise<readonly Node[]> {
    const labelSelector = `kubernetes.io/hostname in (${names.join(",")})`;
    return this.#client.once(async (connection) => {
      const query = { labelSelector };
      const page = await readJson<PageSent<V1Node>>(connection, allNodes.path, { query });
      return itemsIn("nodes by their names", page).map(nodeOf);
    });
  }
}
