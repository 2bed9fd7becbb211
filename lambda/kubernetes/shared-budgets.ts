import type { Clock } from "../base/clock.port.ts";
import { Fault } from "../base/fault.ts";
import {
  type Budget,
  type BudgetAccount,
  type BudgetAccounts,
  budgetsHolding,
  budgetTitle,
  untouched,
} from "../drain/budget.ts";
import { afterList, answered, claimed, isSettled, seen } from "../drain/budget-account.ts";
import type { Evicted } from "../drain/eviction.ts";
import type { Pod } from "../drain/pod.ts";
import { type Collection, keyOf } from "./collection.ts";
import { allBudgets, budgetsIn } from "./collections.ts";
import type { InformerTools, Listener } from "./informer.ts";
import { type Followed, type ItemListener, SharedInformers } from "./shared-informers.ts";

// The API server allows 100 streams on a connection, and a watch keeps its stream: the requests need the others.
const mostNamespaces = 20;

const none: readonly Budget[] = [];

/** Follows the budgets of namespaces: those of each namespace while these are few, else all budgets of the cluster. */
export class SharedBudgets {
  readonly #informers: SharedInformers<Budget>;
  readonly #accounts: SharedAccounts;
  readonly #grouped = new WeakMap<readonly Budget[], ReadonlyMap<string, readonly Budget[]>>();

  constructor(tools: InformerTools) {
    this.#accounts = new SharedAccounts(tools.clock);
    this.#informers = new SharedInformers(tools, this.#accounts);
  }

  /** Follows the budgets of a namespace, unless they are too many; notifies the listener of every change of one. */
  async follow(namespace: string, wakeup: Listener<Budget>): Promise<Followed<Budget>> {
    const own: Listener<Budget> = {
      notify: (news) => {
        const heard = news === "all" ? news : news.filter((one) => one.namespace === namespace);
        if (heard.length > 0) wakeup.notify(heard);
      },
    };
    const followed = await this.#informers.follow(this.#collectionFor(namespace), own);
    return {
      ...followed,
      items: () => {
        if (!followed.leavesOut(namespace))
          return this.#groups(followed.items()).get(namespace) ?? none;
        throw new Fault(
          "cluster.refused",
          `following budgets of ${namespace}: they are too many or too large`,
        );
      },
    };
  }

  /** The budget requests of the drains of this process. */
  accounts(): BudgetAccounts {
    return this.#accounts.now();
  }

  /**
   * Evicts a pod, and keeps account of that for all drains of this process until the status of its budget shows it.
   * Another answer than `accepted` changes no budget, so the others hear of it here.
   */
  async evicting(pod: Pod, evict: () => Promise<Evicted>): Promise<Evicted> {
    const key = keyOf(this.#collectionFor(pod.namespace));
    const [budget, ...others] = budgetsHolding(pod, this.#informers.known(key));
    if (budget === undefined || others.length > 0) return evict();
    const answer = await this.#accounts.evicting(pod, budget, evict);
    if (answer.kind !== "accepted") this.#informers.ring(key, [budget]);
    return answer;
  }

  /** The budgets of the namespace alone while few are followed, else all. */
  #collectionFor(namespace: string): Collection<Budget> {
    const own = budgetsIn(namespace);
    return this.#mayFollow(keyOf(own)) ? own : allBudgets;
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

/**
 * The budget requests of all drains of this process, as far as the budgets do not count them yet.
 */
export class SharedAccounts implements ItemListener<Budget> {
  readonly #clock: Pick<Clock, "now">;
  #accounts: BudgetAccounts = new Map();

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** The accounts as they are at this moment. */
  now(): BudgetAccounts {
    return this.#accounts;
  }

  /** Evicts a pod of a budget, and keeps account of that. */
  async evicting(pod: Pod, budget: Budget, evict: () => Promise<Evicted>): Promise<Evicted> {
    const title = budgetTitle(budget);
    const note = (answer: Evicted["kind"] | "failed"): void => {
      const now = this.#clock.now();
      this.#change(title, (account) => answered(account, { pod, answer, now }));
    };
    this.#change(title, (account) => claimed(account, pod));
    try {
      const answer = await evict();
      note(answer.kind);
      return answer;
    } catch (cause) {
      note("failed");
      throw cause;
    }
  }

  /** Hears of a changed budget; the last of the news is the budget as it is now. */
  changed(news: readonly Budget[]): void {
    const when = { now: this.#clock.now(), chance: Math.random() };
    for (const budget of this.#known(news.slice(-1)))
      this.#change(budgetTitle(budget), (account) => seen(account, { budget, ...when }));
  }

  /** Hears of budgets that were listed, and that may have changed unseen. */
  listed(budgets: readonly Budget[]): void {
    for (const budget of this.#known(budgets)) this.#change(budgetTitle(budget), afterList);
  }

  #known(budgets: readonly Budget[]): readonly Budget[] {
    return budgets.filter((budget) => this.#accounts.has(budgetTitle(budget)));
  }

  #change(title: string, change: (account: BudgetAccount) => BudgetAccount): void {
    const now = this.#clock.now();
    const accounts = new Map(this.#accounts);
    accounts.set(title, change(accounts.get(title) ?? untouched));
    this.#accounts = new Map([...accounts].filter(([, account]) => !isSettled(account, now)));
  }
}
