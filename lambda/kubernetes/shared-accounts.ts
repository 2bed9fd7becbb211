import type { Clock } from "../base/clock.port.ts";
import {
  type Budget,
  type BudgetAccount,
  type BudgetAccounts,
  budgetTitle,
  untouched,
} from "../drain/budget.ts";
import { answered, claimed, isSettled, listedAnew, seen } from "../drain/budget-account.ts";
import type { Eviction } from "../drain/eviction.ts";
import type { Pod } from "../drain/pod.ts";
import type { Keeper } from "./shared-informers.ts";

/** What all drains of this process have requested of budgets, and what these do not count yet. */
export class SharedAccounts implements Keeper<Budget> {
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
  async evicting(pod: Pod, budget: Budget, evict: () => Promise<Eviction>): Promise<Eviction> {
    const title = budgetTitle(budget);
    const note = (answer: Eviction["kind"] | "failed"): void => {
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
    for (const budget of this.#known(budgets)) this.#change(budgetTitle(budget), listedAnew);
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
