import { type Instant, later, minutes } from "../../lambda/base/time.ts";
import { deployments, replicaSets, statefulSets, type Workload } from "./app-resources.ts";
import { type BudgetStatus, budgets, type PodDisruptionBudget } from "./budget.ts";
import { withAllowedCondition } from "./budget-decrement.ts";
import { pods } from "./core-resources.ts";
import { controllerOf, type KubeObject, terminating, withCondition } from "./kube-object.ts";
import { readTime, wireTime } from "./kube-time.ts";
import { selects } from "./label-selector.ts";
import { type Machinery, reconcile } from "./machinery.ts";
import type { ObjectStore } from "./object-store.ts";
import { type Pod, podReady } from "./pod.ts";
import { refTo } from "./resource.ts";
import type { Wake } from "./wake.ts";

/** The number of pods that a budget expects, and of those that must be healthy. */
interface Expectation {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
}

/** The object that scales a pod, if it is of a kind that the disruption controller knows. */
function scaledBy(store: ObjectStore, pod: Pod): Workload | undefined {
  const owner = controllerOf(pod);
  const { namespace } = pod.metadata;
  const owned = (object: KubeObject) => object.metadata.uid === owner?.uid;
  const set = store.list(replicaSets, namespace).find(owned);
  const above = set && controllerOf(set);
  if (above === undefined) return set ?? store.list(statefulSets, namespace).find(owned);
  const found = store.list(deployments, namespace).find((it) => it.metadata.uid === above.uid);
  return found ?? set;
}

/** The sum of the scales of the pods' controllers, or an error text if one is not found. */
function expectedScale(store: ObjectStore, pods: readonly Pod[]): number | string {
  const scales = new Map<string, number>();
  for (const pod of pods) {
    if (controllerOf(pod) === undefined) continue;
    const scaled = scaledBy(store, pod);
    if (scaled === undefined) return `found no controllers for pod "${pod.metadata.name}"`;
    scales.set(scaled.metadata.uid, scaled.spec.replicas ?? 1);
  }
  return [...scales.values()].reduce((sum, scale) => sum + scale, 0);
}

/** A number of pods as it is, or a percentage of the whole, rounded up. */
function countOf(value: number | string, whole: number): number | string {
  if (typeof value === "number") return value;
  const percent = /^(\d+)%$/.exec(value)?.[1];
  if (percent === undefined)
    return "invalid value for IntOrString: invalid type: string is not a percentage";
  return Math.ceil((Number(percent) * whole) / 100);
}

/** The number of pods that a budget expects, or the error text if the controller cannot tell. */
function expectedPods(
  store: ObjectStore,
  { spec }: PodDisruptionBudget,
  pods: readonly Pod[],
): Expectation | string {
  const { maxUnavailable, minAvailable } = spec;
  if (maxUnavailable === undefined && typeof minAvailable === "number") {
    return { expectedPods: pods.length, desiredHealthy: minAvailable };
  }
  const limit = maxUnavailable ?? minAvailable;
  if (limit === undefined) return { expectedPods: 0, desiredHealthy: 0 };
  const scale = expectedScale(store, pods);
  if (typeof scale === "string") return scale;
  const count = countOf(limit, scale);
  if (typeof count === "string") return count;
  const desiredHealthy = maxUnavailable === undefined ? count : Math.max(0, scale - count);
  return { expectedPods: scale, desiredHealthy };
}

/** The time for which an evicted pod counts as disrupted before its deletion shows. */
const deletionTimeout = minutes(2);

/** Keeps the status of PodDisruptionBudgets up to date, unless you hold it. */
export class Disruption {
  readonly #machinery: Machinery;
  readonly #wake: Wake;
  #state: "working" | "held" = "working";

  constructor(machinery: Machinery) {
    this.#machinery = machinery;
    const watched = [pods, budgets];
    this.#wake = reconcile(machinery, watched, () => this.#work());
  }

  /** Pauses the controller, so that it does not observe changed budgets. */
  hold(): void {
    this.#state = "held";
  }

  /** Resumes the work. */
  release(): void {
    this.#state = "working";
    this.#wake.after(this.#machinery.reaction);
  }

  #work(): void {
    if (this.#state === "held") return;
    for (const budget of this.#machinery.store.list(budgets)) {
      const status = this.#observe(budget);
      this.#machinery.store.update(refTo(budgets, budget), (current) => ({ ...current, status }));
    }
  }

  #observe(budget: PodDisruptionBudget): BudgetStatus {
    const { store, timeline } = this.#machinery;
    const all = store
      .list(pods, budget.metadata.namespace)
      .filter(({ metadata }) => selects(budget.spec.selector, metadata.labels));
    const expectation = expectedPods(store, budget, all);
    const now = timeline.now();
    if (typeof expectation === "string") return failed(budget.status, expectation, now);
    const disrupted = stillDisrupted(budget, all, now);
    for (const at of Object.values(disrupted)) this.#wake.at(later(readTime(at), deletionTimeout));
    return observed(budget, { ...expectation, healthy: healthy(all, disrupted), disrupted }, now);
  }
}

type Disrupted = Readonly<Record<string, string>>;

/** The pods marked as disrupted less than two minutes ago that exist and are not terminating. */
function stillDisrupted(
  { status }: PodDisruptionBudget,
  all: readonly Pod[],
  now: Instant,
): Disrupted {
  const entries = Object.entries(status.disruptedPods ?? {}).filter(([name, at]) => {
    const pod = all.find(({ metadata }) => metadata.name === name);
    return pod !== undefined && !terminating(pod) && later(readTime(at), deletionTimeout) > now;
  });
  return Object.fromEntries(entries);
}

const healthy = (all: readonly Pod[], disrupted: Disrupted): number =>
  all.filter(
    (pod) => !terminating(pod) && disrupted[pod.metadata.name] === undefined && podReady(pod),
  ).length;

function observed(
  { metadata, status }: PodDisruptionBudget,
  found: Expectation & { readonly healthy: number; readonly disrupted: Disrupted },
  now: Instant,
): BudgetStatus {
  const spare = Math.max(0, found.healthy - found.desiredHealthy);
  const next: BudgetStatus = {
    observedGeneration: metadata.generation,
    ...(Object.keys(found.disrupted).length > 0 ? { disruptedPods: found.disrupted } : {}),
    disruptionsAllowed: found.expectedPods <= 0 ? 0 : spare,
    currentHealthy: found.healthy,
    desiredHealthy: found.desiredHealthy,
    expectedPods: found.expectedPods,
    ...(status.conditions === undefined ? {} : { conditions: status.conditions }),
  };
  return withAllowedCondition(next, now);
}

/** A budget allows nothing if the controller cannot tell what it expects. */
const failed = (status: BudgetStatus, message: string, now: Instant): BudgetStatus => ({
  ...status,
  disruptionsAllowed: 0,
  conditions: withCondition(status.conditions, {
    type: "DisruptionAllowed",
    status: "False",
    observedGeneration: status.observedGeneration,
    lastTransitionTime: wireTime(now),
    reason: "SyncFailed",
    message,
  }),
});
