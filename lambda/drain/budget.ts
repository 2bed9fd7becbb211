import type { PodUid } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import { type Instant, instant, later, minutes } from "../base/time.ts";
import type { Pod } from "./pod.ts";

/** One requirement of a label selector, as Kubernetes writes it. */
export interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

/** Selects objects by their labels; `nothing` is a selector that was left out. */
export type Selector =
  | { readonly kind: "nothing" }
  | { readonly kind: "labels"; readonly requirements: readonly Requirement[] };

/** Whether labels meet a selector; all labels meet a selector without requirements. */
export const selects = (selector: Selector, labels: Labels): boolean =>
  selector.kind === "labels" && selector.requirements.every((needed) => meets(labels, needed));

function meets(labels: Labels, { key, operator, values }: Requirement): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case "In":
      return value !== undefined && isAmong(value, values);
    case "NotIn":
      return value === undefined || !isAmong(value, values);
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    default:
      return false;
  }
}

const few = 16;
const sets = new WeakMap<readonly string[], ReadonlySet<string>>();

/** Whether a value is among others. Others may write tens of thousands, which each pod is asked for. */
function isAmong(value: string, values: readonly string[]): boolean {
  if (values.length <= few) return values.includes(value);
  const known = sets.get(values) ?? new Set(values);
  sets.set(values, known);
  return known.has(value);
}

/** How many healthy pods a budget asks for: so many, or all but so many, as a number or a percentage such as `50%`. */
export type BudgetRule =
  | { readonly kind: "maxUnavailable" | "minAvailable"; readonly amount: number | string }
  | { readonly kind: "none" };

/** A rule in its own words, such as `maxUnavailable 0`. */
export const ruleWords = (rule: BudgetRule): string =>
  rule.kind === "none" ? "no rule" : `${rule.kind} ${rule.amount}`;

/** How many of the expected pods a rule asks to be healthy. */
export function healthyBy(rule: BudgetRule, expected: number): number {
  if (rule.kind === "none") return 0;
  const pods = needed(rule.amount, expected);
  return rule.kind === "minAvailable" ? pods : Math.max(0, expected - pods);
}

/** Whether a rule counts what the controllers of its pods want: all but a whole `minAvailable`. */
export const countsScale = (rule: BudgetRule): boolean =>
  rule.kind === "maxUnavailable" ||
  (rule.kind === "minAvailable" && typeof rule.amount === "string");

/** The number of pods that a rule is about; a percentage is rounded up to whole pods. */
export const needed = (amount: number | string, expected: number): number =>
  typeof amount === "number" ? amount : Math.ceil((Number.parseInt(amount, 10) * expected) / 100);

/** A PodDisruptionBudget with its status as it is now. */
export interface Budget {
  readonly namespace: string;
  readonly name: string;
  /** Changes whenever the budget or its status does. */
  readonly resourceVersion: string;
  readonly selector: Selector;
  readonly rule: BudgetRule;
  /**
   * The change that its rule needs before it allows an eviction; for `if-scaled`, more pods are
   * enough. `if-counted`: its controller counts none of its pods, whatever they are.
   */
  readonly meetable: "sometimes" | "if-raised" | "if-lowered" | "if-scaled" | "if-counted";
  /** Why its controller cannot count its pods, in its words; empty if it can. */
  readonly uncounted: string;
  readonly disruptionsAllowed: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  /** How many pods its controller has counted; but for a whole `minAvailable` those that their own controllers ask for. */
  readonly expectedPods: number;
  /** Whether the status is about the rule as it is now. */
  readonly observed: boolean;
  readonly unhealthyPods: "always-allow" | "if-healthy-budget";
  /** The names of pods whose eviction the status counts already, and when each was granted. */
  readonly disrupted: ReadonlyMap<string, Instant>;
  /** Since when its status allows no disruption; long ago if the status does not say. */
  readonly spent: Instant;
}

/** A pod whose eviction was requested, and that the status of its budget does not count yet. */
export interface Claim {
  readonly pod: string;
  /** When it no longer counts, should the status never show it; never while there is no answer. */
  readonly until: Instant;
}

/** The requests of all drains of this process that count against one budget. */
export interface BudgetAccount {
  readonly claims: ReadonlyMap<PodUid, Claim>;
  /** The time from which the drains may use what the budget allows. */
  readonly use:
    | { readonly kind: "open" }
    | { readonly kind: "closed" | "opening"; readonly until: Instant };
  /** Until when other processes are believed to use the budget too. */
  readonly contested: Instant;
}

/** The account of a budget without requests. */
export const untouched: BudgetAccount = {
  claims: new Map(),
  use: { kind: "open" },
  contested: instant(0),
};

/** The accounts of budgets by their titles. A budget without requests has none. */
export type BudgetAccounts = ReadonlyMap<string, BudgetAccount>;

// The disruption controller expects a granted eviction for this long.
const grantLasts = minutes(2);

/** A pod whose eviction a budget has granted, and until when that takes one of its disruptions, should the pod stay. */
export interface Grant {
  readonly pod: string;
  readonly until: Instant;
}

/** The evictions that a budget has granted and still waits for. The client may have died before the pod was deleted. */
export const grantsOf = ({ disrupted }: Budget, now: Instant): readonly Grant[] =>
  Array.from(disrupted, ([pod, at]) => ({ pod, until: later(at, grantLasts) })).filter(
    ({ until }) => until > now,
  );

/** A budget's name for people: `namespace/name`. */
export const budgetTitle = ({ namespace, name }: Budget): string => `${namespace}/${name}`;

/** Whether a pod's eviction is subject to a budget: one of its own namespace that selects it. */
export const governs = ({ namespace, selector }: Budget, pod: Pod): boolean =>
  namespace === pod.namespace && selects(selector, pod.labels);

// A step asks several times about each pod. What is known of a list goes with it, and what is known of a pod with the pod.
const overIn = new WeakMap<readonly Budget[], WeakMap<Pod, readonly Budget[]>>();

/** The budgets that a pod's eviction is subject to: each of a list is asked about a pod once. */
export function budgetsOver(pod: Pod, budgets: readonly Budget[]): readonly Budget[] {
  const known = overIn.get(budgets) ?? new WeakMap<Pod, readonly Budget[]>();
  overIn.set(budgets, known);
  const over = known.get(pod) ?? budgets.filter((budget) => governs(budget, pod));
  known.set(pod, over);
  return over;
}

/**
 * The budgets that decide about a pod's eviction: the one that selects it, unless the API does not ask it.
 *
 * Where several select a pod, the API refuses the eviction whatever they allow, unless the pod has not started.
 */
export function budgetsHolding(pod: Pod, budgets: readonly Budget[]): readonly Budget[] {
  const over = budgetsOver(pod, budgets);
  if (over.length > 1) return pod.phase === "Pending" ? [] : over;
  return over.filter((budget) => !isExempt(pod, budget));
}

/**
 * Whether the API evicts a pod without asking its budget. Any of these:
 * - it has not started;
 * - it is not ready, and its budget always allows to evict such pods;
 * - it is not ready, and its budget is met without it.
 * @see https://kubernetes.io/docs/tasks/run-application/configure-pdb/#unhealthy-pod-eviction-policy
 */
export const isExempt = (pod: Pod, budget: Budget): boolean =>
  pod.phase === "Pending" ||
  (!pod.ready && budget.unhealthyPods === "always-allow") ||
  (!pod.ready && budget.currentHealthy >= budget.desiredHealthy && budget.desiredHealthy > 0);
