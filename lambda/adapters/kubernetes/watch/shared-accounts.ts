import {
  type Budget,
  type BudgetAccount,
  type BudgetAccounts,
  budgetTitle,
  untouched,
} from "../../../domain/pod/budget.ts";
import {
  answered,
  claimed,
  isSettled,
  listedAnew,
  seen,
} from "../../../domain/pod/budget-account.ts";
import type { Eviction } from "../../../domain/pod/eviction.ts";
import type { Pod } from "../../../domain/pod/pod.ts";
import type { Clock } from "../../../ports/clock.ts";

/** What all drains of this process have requested of budgets, and what these do not count yet. */
export class SharedAccounts {
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

  /** Hears of a changed budget. */
  changed(budget: Budget): void {
    const title = budgetTitle(budget);
    if (!this.#accounts.has(title)) return;
    const when = { now: this.#clock.now(), chance: Math.random() };
    this.#change(title, (account) => seen(account, { budget, ...when }));
  }

  /** Hears that any budget of a namespace may have changed. */
  listedAnew(namespace: string): void {
    for (const title of this.#accounts.keys())
      if (title.startsWith(`${namespace}/`)) this.#change(title, listedAnew);
  }

  #change(title: string, change: (account: BudgetAccount) => BudgetAccount): void {
    const account = change(this.#accounts.get(title) ?? untouched);
    const accounts = new Map(this.#accounts);
    if (isSettled(account, this.#clock.now())) accounts.delete(title);
    else accounts.set(title, account);
    this.#accounts = accounts;
  }
}
