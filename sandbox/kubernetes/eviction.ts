import type { Timeline } from "../timeline.ts";
import { budgets, type PodDisruptionBudget } from "./budget.ts";
import { stillProcessed, takeDisruption } from "./budget-decrement.ts";
import { pods } from "./core-resources.ts";
import {
  assertPreconditions,
  type DeleteOptions,
  Deleter,
  disrupted,
  isDryRun,
} from "./deletion.ts";
import { terminating } from "./kube-object.ts";
import { selects } from "./label-selector.ts";
import type { ObjectStore } from "./object-store.ts";
import { type Pod, podFinished, podReady } from "./pod.ts";
import { internal } from "./refusals.ts";
import type { Ref } from "./resource.ts";
import { ApiError, type Status, success } from "./status.ts";

/** Whether a request lost against another one. */
const isConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.status.code === 409;

const reason = { reason: "EvictionByEvictionAPI", message: "Eviction API: evicting" };

/** A pod that does not serve: the API server evicts it without looking at any budget. */
const ignoresBudgets = (pod: Pod): boolean =>
  podFinished(pod) || pod.status.phase === "Pending" || terminating(pod);

/** Whether an unready pod may go: the policy says so, or the budget's healthy pods suffice. */
function unhealthyMayGo({ spec, status }: PodDisruptionBudget): boolean {
  if (spec.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  return status.currentHealthy >= status.desiredHealthy && status.desiredHealthy > 0;
}

/**
 * The eviction subresource, in the same steps as in the API server.
 *
 * @see https://github.com/kubernetes/kubernetes/blob/v1.36.2/pkg/registry/core/pod/storage/eviction.go
 */
export class EvictionSubresource {
  readonly #store: ObjectStore;
  readonly #timeline: Timeline;
  readonly #deleter: Deleter;

  constructor(store: ObjectStore, timeline: Timeline) {
    this.#store = store;
    this.#timeline = timeline;
    this.#deleter = new Deleter(store, () => timeline.now());
  }

  /** Evicts a pod or throws the refusal. No other write can happen between a check and the deletion. */
  evict(ref: Ref<Pod>, options: DeleteOptions): Status {
    if (ignoresBudgets(this.#store.get(ref))) this.#markAndDelete(ref, options);
    else this.#evictWithinBudget(ref, options);
    return success({ code: 201 });
  }

  #evictWithinBudget(ref: Ref<Pod>, options: DeleteOptions): void {
    const pod = this.#store.get(ref);
    const budget = this.#budgetOf(pod);
    if (budget !== undefined && !podReady(pod) && unhealthyMayGo(budget)) {
      this.#evictUnready(ref, budget, options);
      return;
    }
    if (budget !== undefined) {
      const mode = isDryRun(options) ? "dry-run" : "commit";
      const now = this.#timeline.now();
      takeDisruption(this.#store, budget, { pod: pod.metadata.name, now, mode });
    }
    this.#markAndDelete(ref, options);
  }

  /** The budget that selects a pod; fails if two budgets do. */
  #budgetOf(pod: Pod): PodDisruptionBudget | undefined {
    const { namespace, labels } = pod.metadata;
    const all = this.#store.list(budgets, namespace);
    const [budget, second] = all.filter(({ spec }) => selects(spec.selector, labels));
    if (second === undefined) return budget;
    throw internal(
      "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
    );
  }

  /** Treats every conflict, a wrong UID too, as the race that the real server guards against. */
  #evictUnready(ref: Ref<Pod>, budget: PodDisruptionBudget, options: DeleteOptions): void {
    try {
      this.#markAndDelete(ref, options);
    } catch (error) {
      throw isConflict(error) ? stillProcessed(budget) : error;
    }
  }

  /** Checks the caller's preconditions, notes the reason on the pod, then deletes the pod. */
  #markAndDelete(ref: Ref<Pod>, options: DeleteOptions): void {
    if (isDryRun(options)) {
      this.#deleter.delete(ref, options);
      return;
    }
    assertPreconditions(pods, this.#store.get(ref), options);
    const now = this.#timeline.now();
    this.#store.update(ref, (pod) => disrupted(pod, reason, now));
    this.#deleter.delete(ref, options);
  }
}
