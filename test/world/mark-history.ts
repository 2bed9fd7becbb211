import { type Instant, instant } from "../../lambda/base/time.ts";
import type { Change } from "../../sandbox/kubernetes/change-log.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import type { Node } from "../../sandbox/kubernetes/node.ts";
import type { FunctionRequest } from "./fault-plan.ts";
import { passNow, type WorldPass } from "./passes.ts";
import type { VirtualWorld } from "./virtual-world.ts";
import { nodeOf } from "./world-options.ts";

/** The mark that a drain goes by. */
export interface DrainMark {
  /** When the node got it, whatever time the mark itself states. */
  readonly set: Instant;
  /** Since when the drain goes by it. */
  readonly since: Instant;
}

const long = instant(0);
const unmarked: DrainMark = { set: long, since: long };

const markedAtAnnotation = "eks-node-lifecycle/marked-at";

/**
 * Knows which mark each drain goes by: the one that its pass has set, or that was there when the
 * pass began to follow the pods. A pass does not go by what another drain marks later.
 */
export class MarkHistory {
  readonly #world: VirtualWorld;
  /** When each node got its last mark, by the node's UID. */
  readonly #set = new Map<string, Instant>();
  /** When each node was last opened to pods again, by the node's UID. */
  readonly #opened = new Map<string, Instant>();
  readonly #known = new Map<number, DrainMark>();
  readonly #following = new Set<WorldPass["id"]>();

  constructor(world: VirtualWorld) {
    this.#world = world;
    world.cluster.store.subscribe((change) => this.#hear(change));
  }

  /** The mark that the drain of this node goes by; a node without a mark counts as marked long ago. */
  of(index: number): DrainMark {
    return this.#known.get(index) ?? unmarked;
  }

  /** When a node last got a mark. */
  set({ metadata }: Node): Instant {
    return this.#set.get(metadata.uid) ?? long;
  }

  /** When somebody last opened a node to pods again. */
  opened({ metadata }: Node): Instant {
    return this.#opened.get(metadata.uid) ?? long;
  }

  /** Notes a request by which a pass begins to follow the pods of its node. */
  see({ what, pass }: FunctionRequest): void {
    if (pass === "none" || what !== "list pods" || this.#following.has(pass.id)) return;
    this.#following.add(pass.id);
    const node = this.#world.cluster.store.tryGet({ resource: nodes, name: nodeOf(pass.index) });
    const set = node && isMarked(node) ? this.#set.get(node.metadata.uid) : undefined;
    this.#goBy(pass.index, set ?? long);
  }

  #hear({ resource, before, after }: Change): void {
    if (resource !== nodes || after === undefined) return;
    const { uid, name } = after.metadata;
    if (!isMarked(after as Node)) this.#opened.set(uid, this.#world.timeline.now());
    if (markOf(after) === undefined || markOf(after) === markOf(before)) return;
    this.#set.set(uid, this.#world.timeline.now());
    const pass = passNow();
    if (pass !== "none" && name === nodeOf(pass.index))
      this.#goBy(pass.index, this.#world.timeline.now());
  }

  #goBy(index: number, set: Instant): void {
    if (this.#known.get(index)?.set === set) return;
    this.#known.set(index, { set, since: this.#world.timeline.now() });
  }
}

const markOf = (node: Change["after"]): string | undefined =>
  node?.metadata.annotations?.[markedAtAnnotation];

/** Whether a node has its whole mark; somebody may have opened it to pods again. */
export const isMarked = (node: Node): boolean =>
  node.spec.unschedulable === true && markOf(node) !== undefined;
