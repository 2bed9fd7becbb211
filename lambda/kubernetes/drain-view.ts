import { faultOf } from "../base/fault.ts";
import type { NodeName } from "../base/ids.ts";
import { earliest, type Instant, later, seconds } from "../base/time.ts";
import { Wakeup } from "../base/wakeup.ts";
import { unlike } from "../drain/alike.ts";
import { type Budget, type BudgetAccounts, governs } from "../drain/budget.ts";
import type { DrainView, NodesView } from "../drain/drain.port.ts";
import type { Node } from "../drain/node.ts";
import type { Pod } from "../drain/pod.ts";
import { nodesNamed } from "./collections.ts";
import { Informer, type InformerOptions, type InformerTools, type Listener } from "./informer.ts";
import { LargeNamespace } from "./large-namespace.ts";
import { podsOf } from "./pod-lists.ts";
import type { SharedBudgets } from "./shared-budgets.ts";
import type { Followed } from "./shared-informers.ts";
import { sizeOf } from "./weighed.ts";

/**
 * The needs of a drain's view, which notifies `wakeup` when a pod of the node, or a budget that selects one, has changed.
 */
export interface ViewOptions extends InformerTools {
  readonly wakeup: Wakeup;
  readonly budgets: SharedBudgets;
}

/**
 * Follows the pods of a node, and the budgets in their namespaces; fails if it cannot follow the pods, or may read no budgets.
 *
 * Others write budgets, as many and as large as they may. Those of each namespace are read by themselves: one whose budgets
 * are late, or too many, or cannot be read, keeps nobody waiting.
 */
export async function drainView(node: NodeName, options: ViewOptions): Promise<DrainView> {
  const view = new NodeDrainView(node, options);
  try {
    await view.start();
  } catch (cause) {
    view.close();
    throw cause;
  }
  return view;
}

/** The budgets of a namespace; `unread` says why they are not known, or not yet. */
type NamespaceBudgets =
  | { readonly kind: "followed"; readonly followed: Followed<Budget> }
  | { readonly kind: "unread"; readonly why: string };

const late: NamespaceBudgets = { kind: "unread", why: "the API server has not listed them yet" };

const tooLarge = "its pods on this node are too many or too large to be followed";
const tooManyPairs = "too many budgets for so many pods on this node";

// Each change of a budget has each pod compared with all of them: 400 pods with as many budgets as are followed at most.
const mostPairs = 800_000_000;

const listBytes = new WeakMap<readonly Budget[], number>();

/** The bytes of a list of budgets, which stays the same until one changes: a drain asks many times meanwhile. */
function bytesOf(budgets: readonly Budget[]): number {
  const bytes = listBytes.get(budgets) ?? budgets.reduce((sum, one) => sum + sizeOf(one), 0);
  listBytes.set(budgets, bytes);
  return bytes;
}

// Most lists take a fraction of a second. A Spot instance has two minutes.
const firstListWait = seconds(2);

class NodeDrainView implements DrainView {
  readonly #options: ViewOptions;
  readonly #node: NodeName;
  readonly #pods: Informer<Pod>;
  /** The namespaces whose pods on the node are too many or too large to be followed. */
  readonly #large = new Map<string, LargeNamespace>();
  /** By the namespaces of pods seen so far. */
  readonly #namespaces = new Map<string, NamespaceBudgets>();
  /** How many pods they have on the node. */
  readonly #counts = new Map<string, number>();
  /** Those that have too many budgets for so many pods. */
  readonly #crowded = new Set<string>();
  readonly #concerned: Listener<Budget> = {
    notify: (news) => {
      if (this.#concerns(news)) this.#options.wakeup.notify();
    },
  };
  /** The pods whose namespaces are known, and the lists that they are put together of. */
  #seen: readonly Pod[] = [];
  #parts: readonly (readonly Pod[])[] = [];
  #budgets: readonly Budget[] = [];
  #budgetParts: readonly (readonly Budget[])[] = [];
  #state: "open" | "closed" = "open";
  #fault: { readonly cause: unknown } | undefined;

  constructor(node: NodeName, options: ViewOptions) {
    this.#node = node;
    this.#options = options;
    this.#pods = new Informer(podsOf(node), options);
  }

  async start(): Promise<void> {
    const { clock } = this.#options;
    await this.#pods.start();
    const read = new Wakeup();
    void Promise.all(this.#followBudgets()).finally(() => read.notify());
    await clock.sleep(later(clock.now(), firstListWait), read);
    this.budgets();
  }

  /** Pods of a new namespace are reported at once. The API server enforces their budgets until they are known here. */
  pods(): readonly Pod[] {
    this.#followBudgets();
    return this.#seen;
  }

  /** The same list until a budget changes: what a drain knows about pods goes with it. */
  budgets(): readonly Budget[] {
    if (this.#fault !== undefined) throw this.#fault.cause;
    const parts = Array.from(this.#namespaces, ([namespace, budgets]) =>
      this.#known(namespace, budgets),
    );
    if (!areSame(parts, this.#budgetParts)) {
      this.#budgetParts = parts;
      this.#budgets = parts.flat();
    }
    return this.#budgets;
  }

  unread(): ReadonlyMap<string, string> {
    this.budgets();
    return new Map([
      ...[...this.#crowded].map((namespace) => [namespace, tooManyPairs] as const),
      ...[...this.#large.keys()].map((namespace) => [namespace, tooLarge] as const),
      ...[...this.#namespaces].flatMap(([namespace, budgets]) =>
        budgets.kind === "unread" ? [[namespace, budgets.why] as const] : [],
      ),
    ]);
  }

  accounts(): BudgetAccounts {
    return this.#options.budgets.accounts();
  }

  listed(): Instant {
    const looks = [...this.#large.values()].map((large) => large.listed());
    return earliest(this.#pods.listed(), ...looks);
  }

  async list(): Promise<void> {
    await Promise.all([this.#pods.list(), ...[...this.#large.values()].map((one) => one.list())]);
  }

  close(): void {
    this.#state = "closed";
    this.#pods.close();
    for (const large of this.#large.values()) large.close();
    for (const budgets of this.#namespaces.values())
      if (budgets.kind === "followed") budgets.followed.close();
  }

  /** Begins to follow the budgets of namespaces that are new. */
  #followBudgets(): readonly Promise<void>[] {
    const pods = this.#podsNow();
    if (pods === this.#seen) return []; // a drain asks many times for each change
    this.#seen = pods;
    const begun: Promise<void>[] = [];
    this.#counts.clear();
    for (const { namespace } of pods) {
      this.#counts.set(namespace, (this.#counts.get(namespace) ?? 0) + 1);
      if (this.#namespaces.has(namespace)) continue;
      this.#namespaces.set(namespace, late);
      begun.push(this.#follow(namespace));
    }
    return begun;
  }

  /** The pods that are followed, and those of large namespaces as they were last looked at; the same list until one changes. */
  #podsNow(): readonly Pod[] {
    const pods = this.#pods.items();
    for (const namespace of this.#pods.leftOut()) {
      if (this.#large.has(namespace)) continue;
      const known = this.#seen.filter((pod) => pod.namespace === namespace);
      this.#large.set(namespace, new LargeNamespace(this.#node, namespace, this.#options, known));
    }
    const parts = [pods, ...[...this.#large.values()].map((large) => large.pods())];
    if (areSame(parts, this.#parts)) return this.#seen;
    this.#parts = parts;
    return parts.length === 1 ? pods : parts.flat();
  }

  #concerns(news: readonly Budget[] | "all"): boolean {
    if (news === "all" || this.#pods.isOver()) return true;
    const known = news.filter(({ namespace }) => !this.#crowded.has(namespace));
    return unlike(this.#pods.items()).some((pod) => known.some((budget) => governs(budget, pod)));
  }

  async #follow(namespace: string): Promise<void> {
    const { budgets, wakeup } = this.#options;
    try {
      const followed = await budgets.follow(namespace, this.#concerned);
      if (this.#state === "closed") followed.close();
      else this.#namespaces.set(namespace, { kind: "followed", followed });
    } catch (cause) {
      this.#lost(namespace, cause);
    }
    wakeup.notify();
  }

  /** The budgets of a namespace, as long as they can be followed, and its pods are known in full. */
  #known(namespace: string, budgets: NamespaceBudgets): readonly Budget[] {
    this.#crowded.delete(namespace);
    if (budgets.kind === "unread" || this.#large.has(namespace)) return none;
    try {
      const items = budgets.followed.items();
      if (bytesOf(items) * (this.#counts.get(namespace) ?? 0) <= mostPairs) return items;
      this.#crowded.add(namespace);
      return none;
    } catch (cause) {
      budgets.followed.close();
      this.#lost(namespace, cause);
      return none;
    }
  }

  /**
   * Records a namespace that cannot be read: it concerns its own pods alone; a missing right
   * concerns all.
   */
  #lost(namespace: string, cause: unknown): void {
    const { code, message } = faultOf(cause);
    if (code === "cluster.forbidden" || code === "cluster.unauthorized") this.#fault ??= { cause };
    this.#namespaces.set(namespace, { kind: "unread", why: message });
  }
}

const none: readonly Budget[] = [];

const areSame = <T>(some: readonly T[], others: readonly T[]): boolean =>
  some.length === others.length && some.every((one, index) => one === others[index]);

/** Follows the nodes with the given names, even if there are no such nodes yet. */
export async function nodesView(
  names: readonly NodeName[],
  options: InformerOptions<Node>,
): Promise<NodesView> {
  const informers = names.map((name) => new Informer(nodesNamed(name), options));
  const close = (): void => {
    for (const informer of informers) informer.close();
  };
  try {
    await Promise.all(informers.map((informer) => informer.start()));
  } catch (cause) {
    close();
    throw cause;
  }
  return { nodes: () => informers.flatMap((informer) => informer.items()), close };
}
