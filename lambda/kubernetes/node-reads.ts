import { setImmediate } from "node:timers/promises";
import type { V1Node } from "@kubernetes/client-node";
import type { Clock } from "../base/clock.port.ts";
import type { NodeName } from "../base/ids.ts";
import { earliest, instant, later, milliseconds } from "../base/time.ts";
import { Wakeup } from "../base/wakeup.ts";
import type { Node } from "../drain/node.ts";
import { itemsIn, type PageSent } from "./as-sent.ts";
import { allNodes } from "./collections.ts";
import type { KubeClient } from "./kube-connection.ts";
import { kubeFault, tryRefusal } from "./kube-fault.ts";
import { nodeOf } from "./node-of.ts";
import { readJson } from "./send-request.ts";

// The drains of a batch find their nodes one shortly after the other, as marks of peers end.
const pause = milliseconds(30);
// After that, each node is read by itself. While the API server throttles, the list is sent again: reads would be more.
const listTimeout = milliseconds(750);
// A node is marked soon after it was read, and 30 peers at a time.
const mostReaders = 40;
const longestLabel = 63;

const { path } = allNodes;
const doing = "listing nodes by their names";

interface GatheredNames {
  /** The names that each reader looks for. */
  readonly readers: (readonly NodeName[])[];
  readonly nodes: Promise<readonly Node[]>;
}

/** Reads the nodes that the drains of this process look for at the same time, by one list for all of them. */
export class NodeReads {
  readonly #client: Pick<KubeClient, "ask">;
  readonly #clock: Clock;
  #open: GatheredNames | undefined;
  #next = instant(0);

  constructor(client: Pick<KubeClient, "ask">, clock: Clock) {
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

  #gather(): GatheredNames {
    const readers: (readonly NodeName[])[] = [];
    return { readers, nodes: this.#read(readers) };
  }

  async #read(readers: GatheredNames["readers"]): Promise<readonly Node[]> {
    const clock = this.#clock;
    const now = clock.now();
    // A clock that was set back must not make it a longer wait.
    if (now < this.#next) await clock.sleep(earliest(this.#next, later(now, pause)), new Wakeup());
    else await setImmediate(); // all who ask in this turn of the event loop
    if (this.#open?.readers === readers) this.#open = undefined;
    this.#next = later(clock.now(), pause);
    return readers.length === 1 ? [] : this.#list(readers.flat());
  }

  /** A list is as fresh as a read, and comes out of the API server's memory from Kubernetes 1.31 on. */
  async #list(names: readonly NodeName[]): Promise<readonly Node[]> {
    const query = { labelSelector: `kubernetes.io/hostname in (${names.join(",")})` };
    try {
      const page = await this.#client.ask(doing, (connection) =>
        readJson<PageSent<V1Node>>(connection, path, { query, limit: listTimeout }).catch(
          unlessThrottled,
        ),
      );
      return itemsIn("nodes by their names", page).map(nodeOf);
    } catch {
      return [];
    }
  }
}

/** Throws what a call threw, as a fault unless the server throttles: only then is the list sent again. */
function unlessThrottled(cause: unknown): never {
  throw tryRefusal(cause)?.code === 429 ? cause : kubeFault(doing, cause);
}
