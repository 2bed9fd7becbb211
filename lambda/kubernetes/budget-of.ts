import type {
  V1LabelSelector,
  V1ObjectMeta,
  V1PodDisruptionBudget,
  V1PodDisruptionBudgetSpec,
  V1PodDisruptionBudgetStatus,
} from "@kubernetes/client-node";
import { Fault } from "../base/fault.ts";
import { type Instant, instant } from "../base/time.ts";
import {
  type Budget,
  type BudgetRule,
  countsScale,
  needed,
  type Requirement,
  type Selector,
} from "../drain/budget.ts";
import { type AsSent, instantOf } from "./as-sent.ts";

/** Reads a PodDisruptionBudget of the Kubernetes API. */
export const budgetOf = ({
  metadata = {},
  spec = {},
  status,
}: AsSent<V1PodDisruptionBudget>): Budget => ({
  ...identityOf(metadata),
  selector: selectorOf(spec.selector),
  rule: ruleOf(spec),
  meetable: isUncounted(spec, status)
    ? "if-counted"
    : meetableWith(spec, status?.expectedPods ?? 0),
  uncounted: failureIn(status),
  unhealthyPods:
    spec.unhealthyPodEvictionPolicy === "AlwaysAllow" ? "always-allow" : "if-healthy-budget",
  ...standOf(status, metadata.generation ?? 0),
});

function identityOf({ namespace, name, resourceVersion }: AsSent<V1ObjectMeta>) {
  if (namespace === undefined || name === undefined || resourceVersion === undefined)
    throw new Fault("cluster.refused", `reading budget ${namespace}/${name}: no name or version`);
  return { namespace, name, resourceVersion };
}

function standOf(status: AsSent<V1PodDisruptionBudgetStatus> | undefined, generation: number) {
  if (status === undefined) return unobserved;
  const {
    disruptionsAllowed = 0,
    currentHealthy = 0,
    desiredHealthy = 0,
    expectedPods = 0,
  } = status;
  const observed = (status.observedGeneration ?? 0) >= generation;
  const disrupted = new Map(
    Object.entries(status.disruptedPods ?? {}).map(([pod, at]) => [pod, instantOf(at)]),
  );
  const spent = spentSince(status);
  const counts = { disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods };
  return { observed, ...counts, disrupted, spent };
}

/** @see https://kubernetes.io/docs/reference/kubernetes-api/policy-resources/pod-disruption-budget-v1/#PodDisruptionBudgetStatus */
function spentSince({ conditions = [] }: AsSent<V1PodDisruptionBudgetStatus>): Instant {
  const found = conditions.find(
    ({ type, status }) => type === "DisruptionAllowed" && status === "False",
  );
  return instantOf(found?.lastTransitionTime);
}

const longestFailure = 200;

/** Why the disruption controller cannot count the pods of a budget. It leaves the numbers as they were. */
function failureIn({ conditions = [] }: BudgetStatus = zeros): string {
  const found = conditions.find(
    ({ type, status, reason }) =>
      type === "DisruptionAllowed" && status === "False" && reason === "SyncFailed",
  );
  return found?.message.slice(0, longestFailure) ?? "";
}

const zeros = { currentHealthy: 0, desiredHealthy: 0, disruptionsAllowed: 0, expectedPods: 0 };

const unobserved = {
  observed: false,
  disruptionsAllowed: 0,
  currentHealthy: 0,
  desiredHealthy: 0,
  expectedPods: 0,
  disrupted: new Map<string, Instant>(),
  spent: instant(0),
};

/** Reads a label selector of the Kubernetes API. */
export function selectorOf(selector: AsSent<V1LabelSelector> | undefined): Selector {
  if (selector === undefined) return { kind: "nothing" };
  const { matchLabels = {}, matchExpressions = [] } = selector;
  const equal = Object.entries(matchLabels).map(
    ([key, value]): Requirement => ({ key, operator: "In", values: [value] }),
  );
  const expressed = matchExpressions.map(
    ({ key, operator, values = [] }): Requirement => ({ key, operator, values }),
  );
  return { kind: "labels", requirements: [...equal, ...expressed] };
}

function ruleOf({ minAvailable, maxUnavailable }: AsSent<V1PodDisruptionBudgetSpec>): BudgetRule {
  if (maxUnavailable !== undefined) return { kind: "maxUnavailable", amount: maxUnavailable };
  return minAvailable === undefined
    ? { kind: "none" }
    : { kind: "minAvailable", amount: minAvailable };
}

/** A budget that needs all of its pods never allows a disruption. */
function meetableWith(
  { minAvailable = 0, maxUnavailable }: V1PodDisruptionBudgetSpec,
  expected: number,
): Budget["meetable"] {
  if (maxUnavailable !== undefined)
    return maxUnavailable === 0 || maxUnavailable === "0%" ? "if-raised" : "sometimes";
  if (expected === 0 || needed(minAvailable, expected) < expected) return "sometimes";
  // Scaling up does not help where all have to be there, however many there are.
  return typeof minAvailable === "string" && needed(minAvailable, 100) >= 100
    ? "if-lowered"
    : "if-scaled";
}

type BudgetStatus = AsSent<V1PodDisruptionBudgetStatus>;

/** Whether a budget counts no pods: bare ones have no controllers that want any. */
function isUncounted(
  spec: AsSent<V1PodDisruptionBudgetSpec>,
  status: BudgetStatus = zeros,
): boolean {
  if (!countsScale(ruleOf(spec))) return false;
  const isEmpty = status.observedGeneration !== undefined && status.expectedPods === 0;
  return isEmpty || failureIn(status) !== "";
}
