import type { PodDisruptionBudget } from "../../sandbox/cluster/budget.ts";
import { selects } from "../../sandbox/cluster/label-selector.ts";
import { type Pod, podReady } from "../../sandbox/cluster/pod.ts";
import { budgets } from "../../sandbox/cluster/policy-resources.ts";
import { graceOf } from "./pod-facts.ts";
import type { Case } from "./pod-request-rules.ts";
import type { VirtualWorld } from "./virtual-world.ts";
import { isPast } from "./witnessed-drain.ts";

/**
 * Counts the evictions that drains send although the pod's budget shows no disruption to give. The
 * first may cross a change of the budget; a second one is a mistake.
 */
export class BudgetKnocks {
  readonly #world: VirtualWorld;
  readonly #knocks = new Map<string, number>();

  constructor(world: VirtualWorld) {
    this.#world = world;
  }

  judge({ request, known: { pod }, drain, sight }: Case): string | undefined {
    const [budget, ...others] = budgetsOver(this.#world, pod);
    if (request.verb === "delete" || sight === "troubled" || others.length > 0) return undefined;
    if (budget === undefined || !podReady(pod) || givesAny(budget)) return undefined;
    if (isPast(graceOf(pod), drain, request.at)) return undefined;
    const { name, resourceVersion } = budget.metadata;
    const times = this.#count(`${drain.node} ${name} ${resourceVersion}`);
    return times > 1 ? "asked to go again of a budget that had nothing to give" : undefined;
  }

  #count(key: string): number {
    const times = (this.#knocks.get(key) ?? 0) + 1;
    this.#knocks.set(key, times);
    return times;
  }
}

const budgetsOver = (
  { cluster }: VirtualWorld,
  { metadata }: Pod,
): readonly PodDisruptionBudget[] =>
  cluster.store
    .list(budgets, metadata.namespace)
    .filter(({ spec }) => selects(spec.selector, metadata.labels));

const givesAny = ({ metadata, status }: PodDisruptionBudget): boolean =>
  status.disruptionsAllowed > 0 && (status.observedGeneration ?? 0) >= (metadata.generation ?? 0);
