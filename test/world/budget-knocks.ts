import type { Instant } from "../../lambda/base/time.ts";
import { budgets, type PodDisruptionBudget } from "../../sandbox/kubernetes/budget.ts";
import { selects } from "../../sandbox/kubernetes/label-selector.ts";
import { type Pod, podReady } from "../../sandbox/kubernetes/pod.ts";
import { graceOf } from "./pod-facts.ts";
import type { Case } from "./pod-request-rules.ts";
import type { VirtualWorld } from "./virtual-world.ts";
import { crossing, isPast } from "./witnessed-drain.ts";

/** How many disruptions a budget allowed from a moment on. */
interface Allowed {
  readonly at: Instant;
  readonly count: number;
}

/**
 * Keeps an account of what each drain asks of each budget. A drain may ask for as many disruptions
 * as the budget has shown it, even if another drain takes them at the same moment.
 */
export class BudgetKnocks {
  readonly #world: VirtualWorld;
  /** What each budget has allowed so far, by its name. */
  readonly #allowed = new Map<string, Allowed[]>();
  /** When a drain asked of a budget, by both names. */
  readonly #asked = new Map<string, Instant[]>();

  constructor(world: VirtualWorld) {
    this.#world = world;
    for (const budget of world.cluster.store.list(budgets)) this.#note(budget);
    world.cluster.store.subscribe(({ resource, after }) => {
      if (resource === budgets && after !== undefined) this.#note(after as PodDisruptionBudget);
    });
  }

  judge({ request, fault, known: { pod }, drain, sight }: Case): string | undefined {
    const [budget, ...others] = budgetsOver(this.#world, pod);
    if (request.verb === "delete" || sight === "troubled" || others.length > 0) return undefined;
    if (budget === undefined || !podReady(pod)) return undefined;
    if (isPast(graceOf(pod), drain, request.at)) return undefined;
    const { name } = budget.metadata;
    const key = `${drain.node} ${name}`;
    const recent = (this.#asked.get(key) ?? []).filter((at) => request.at - at <= crossing);
    // A request that fails takes nothing from the budget.
    this.#asked.set(key, fault.kind === "well" ? [...recent, request.at] : recent);
    return recent.length < this.#shown(name, request.at)
      ? undefined
      : "asked to go, though its budget had nothing to give";
  }

  /** How many disruptions a budget has just shown: what it allowed at first, and all that it allowed more since. */
  #shown(name: string, now: Instant): number {
    const all = this.#allowed.get(name) ?? [];
    const first = all.findLastIndex(({ at }) => now - at > crossing);
    return all
      .slice(Math.max(0, first))
      .map(({ count }, at, recent) => count - (recent[at - 1]?.count ?? 0))
      .reduce((sum, more) => sum + Math.max(0, more), 0);
  }

  #note({ metadata, status }: PodDisruptionBudget): void {
    const { name, generation = 0 } = metadata;
    const count = (status.observedGeneration ?? 0) >= generation ? status.disruptionsAllowed : 0;
    const at = this.#world.timeline.now();
    this.#allowed.set(name, [...(this.#allowed.get(name) ?? []), { at, count }]);
  }
}

const budgetsOver = (
  { cluster }: VirtualWorld,
  { metadata }: Pod,
): readonly PodDisruptionBudget[] =>
  cluster.store
    .list(budgets, metadata.namespace)
    .filter(({ spec }) => selects(spec.selector, metadata.labels));
