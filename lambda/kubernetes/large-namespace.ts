import type { NodeName } from "../base/ids.ts";
import {
  between,
  type Instant,
  instant,
  later,
  longest,
  milliseconds,
  seconds,
} from "../base/time.ts";
import { Wakeup } from "../base/wakeup.ts";
import type { Pod } from "../drain/pod.ts";
import type { CollectionPage } from "./collection.ts";
import type { InformerTools } from "./informer.ts";
import { podsIn } from "./pod-lists.ts";
import { sizeOf } from "./weighed.ts";

// Some fifty pods of the largest kind, or thousands of usual ones. As they leave, the next look reaches further.
const mostBytes = 64_000_000;
const mostPods = 2000;
const longestLook = seconds(15);
// The other pods of the node need the processor and the connection more.
const shortestRest = seconds(5);
const restShare = 4;
const firstPage = 8;

interface Look {
  readonly pods: readonly Pod[];
  /** When it began. */
  readonly at: Instant;
}

/**
 * The pods on a node of a namespace that has too many there, or too large ones: looked at from time to time, page by page, and
 * not to their end where that takes long. Nobody else's pods wait for them.
 */
export class LargeNamespace {
  readonly #node: NodeName;
  readonly #namespace: string;
  readonly #tools: InformerTools & { readonly wakeup: Wakeup };
  readonly #closing = new Wakeup();
  #state: "open" | "closed" = "open";
  #last: Look;
  #look: Promise<void> | undefined;

  /** Begins with the pods that are known. */
  constructor(
    node: NodeName,
    namespace: string,
    tools: InformerTools & { readonly wakeup: Wakeup },
    known: readonly Pod[],
  ) {
    this.#node = node;
    this.#namespace = namespace;
    this.#tools = tools;
    this.#last = { pods: known, at: instant(0) };
    void this.#follow();
  }

  pods(): readonly Pod[] {
    return this.#last.pods;
  }

  /** When the last look began. */
  listed(): Instant {
    return this.#last.at;
  }

  /** Looks at them, or shares a look that is under way. */
  list(): Promise<void> {
    this.#look ??= this.#lookOnce().finally(() => {
      this.#look = undefined;
    });
    return this.#look;
  }

  close(): void {
    this.#state = "closed";
    this.#closing.notify();
  }

  async #follow(): Promise<void> {
    const { clock, wakeup } = this.#tools;
    while (this.#state === "open") {
      const began = clock.now();
      // A look that fails is made again; what was seen before counts until then.
      await this.list().catch(() => undefined);
      wakeup.notify();
      const rest = longest(shortestRest, milliseconds(restShare * between(began, clock.now())));
      await clock.sleep(later(clock.now(), rest), this.#closing);
    }
  }

  async #lookOnce(): Promise<void> {
    const { clock } = this.#tools;
    const at = clock.now();
    const pods: Pod[] = [];
    let bytes = 0;
    for (
      let page = await this.#page("", firstPage);
      ;
      page = await this.#page(page.next, page.size)
    ) {
      for (const pod of page.items) {
        bytes += sizeOf(pod);
        pods.push(pod);
      }
      const isLong = bytes > mostBytes || pods.length > mostPods;
      if (page.next === "" || isLong || clock.now() > later(at, longestLook)) break;
    }
    this.#last = { pods, at };
  }

  #page(next: string, size: number | undefined): Promise<CollectionPage<Pod>> {
    const collection = podsIn(this.#namespace, this.#node);
    return this.#tools.client.ask(`listing ${collection.title}`, (connection) =>
      collection.page(connection, next, size),
    );
  }
}
