import { later, milliseconds } from "../../lambda/base/time.ts";
import type { Timeline } from "../timeline.ts";
import type { PodDisruptionBudget } from "./budget.ts";
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
import { budgets } from "./policy-resources.ts";
import { internal } from "./refusals.ts";
import type { Ref } from "./resource.ts";
import { ApiError, type Status, success } from "./status.ts";

const attempts = 20;
/** The API server waits 500 ms and up to a tenth more; this is the mean. */
const pause = milliseconds(525);

/** Whether a request lost against another one. */
const isConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.status.code === 409;

/** Repeats work while it conflicts, for about ten seconds, as the API server does. */
function retryOnConflict<T>(timeline: Timeline, work: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveIn = (error: unknown, left: number): void => {
      if (left === 1 || !isConflict(error)) reject(error);
      else timeline.schedule(later(timeline.now(), pause), () => attempt(left - 1));
    };
    const attempt = (left: number): void => {
      try {
        resolve(work());
      } catch (error) {
        giveIn(error, left);
      }
    };
    attempt(attempts);
  });
}

const reason = { reason: "EvictionByEvictionAPI", message: "Eviction API: evicting" };

/** A pod that does not serve: the API server evicts it without looking at any budget. */
const ignoresBudgets = (pod: Pod): boolean =>
  podFinished(pod) || pod.status.phase === "Pending" || terminating(pod);

/** Whether an unready pod may go: the policy says so, or the budget's healthy pods suffice. */
function unhealthyMayGo({ spec, status }: PodDisruptionBudget): boolean {
  if (spec.unhealthyPodEvictionPolicy === "AlwaysAllow") return true;
  return status.currentHealthy >= status.desiredHealthy && status.desiredHealthy > 0;
}

/** Whether the caller named the version of the pod that it wants to evict. */
const names = ({ preconditions }: DeleteOptions): boolean =>
  preconditions?.resourceVersion !== undefined;

const atVersion = (options: DeleteOptions, resourceVersion: string): DeleteOptions => ({
  ...options,
  preconditions: { ...options.preconditions, resourceVersion },
});

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

  /** Evicts a pod or throws the refusal; retries conflicts unless the caller named a version. */
  async evict(ref: Ref<Pod>, options: DeleteOptions): Promise<Status> {
    const attempt = () => this.#evictFreely(ref, options);
    const gone = names(options) ? attempt() : await retryOnConflict(this.#timeline, attempt);
    if (!gone) this.#evictWithinBudget(ref, options);
    return success({ code: 201 });
  }

  /**
   * Deletes a pod that does not serve, and returns whether it did.
   *
   * No other write can happen between the check and the deletion.
   */
  #evictFreely(ref: Ref<Pod>, options: DeleteOptions): boolean {
    const pod = this.#store.get(ref);
    if (!ignoresBudgets(pod)) return false;
    this.#markAndDelete(ref, options);
    return true;
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
      throw isConflict(error) && !names(options) ? stillProcessed(budget) : error;
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
    const { metadata } = this.#store.update(ref, (pod) => disrupted(pod, reason, now));
    const { resourceVersion } = metadata;
    this.#deleter.delete(ref, names(options) ? atVersion(options, resourceVersion) : options);
  }
}
