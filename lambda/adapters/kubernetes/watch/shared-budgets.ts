import type { Budget } from "../../../domain/pod/budget.ts";
import { keyOf } from "./collection.ts";
import { allBudgets, budgetsIn } from "./collections.ts";
import type { InformerTools, Listener } from "./informer.ts";
import { type Followed, SharedInformers } from "./shared-informers.ts";

// The API server allows 100 streams on a connection, and a watch keeps its stream: the requests need the others.
const mostNamespaces = 20;

/** Follows the budgets of namespaces: those of each namespace while these are few, else all budgets of the cluster. */
export class SharedBudgets {
  readonly #informers: SharedInformers<Budget>;
  readonly #grouped = new WeakMap<readonly Budget[], ReadonlyMap<string, readonly Budget[]>>();

  constructor(tools: InformerTools) {
    this.#informers = new SharedInformers(tools);
  }

  /** Follows the budgets of a namespace; the bell rings at every change of one of them. */
  async follow(namespace: string, bell: Listener<Budget>): Promise<Followed<Budget>> {
    const own = budgetsIn(namespace);
    if (this.#mayFollow(keyOf(own))) return this.#informers.follow(own, bell);
    const { items, close } = await this.#informers.follow(allBudgets, {
      ring(news) {
        if (news === "all" || news.some((budget) => budget.namespace === namespace))
          bell.ring(news);
      },
    });
    return { items: () => this.#groups(items()).get(namespace) ?? [], close };
  }

  #mayFollow(key: string): boolean {
    const followed = this.#informers.followed();
    if (followed.has(key)) return true;
    return followed.size < mostNamespaces && !followed.has(keyOf(allBudgets));
  }

  /** The budgets by namespace; they are grouped once for each change, however many namespaces are asked for. */
  #groups(budgets: readonly Budget[]): ReadonlyMap<string, readonly Budget[]> {
    const known = this.#grouped.get(budgets);
    if (known !== undefined) return known;
    const groups = Map.groupBy(budgets, ({ namespace }) => namespace);
    this.#grouped.set(budgets, groups);
    return groups;
  }
}
