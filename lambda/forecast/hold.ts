import { budgetsHolding, budgetTitle, ruleWords } from "../drain/budget.ts";
import { budgetDoubts, budgetStand } from "../drain/hold-reason.ts";
import { isOfJob } from "../drain/pod.ts";
import { isTerminating } from "../drain/pod-class.ts";
import { tryProtectionOf } from "../drain/protection.ts";
import type { Snapshot } from "../drain/snapshot.ts";
import { waitsForTier } from "../drain/tiers.ts";
import type { ForecastPod } from "./forecast-pod.ts";

/** The hold that keeps a pod on its node. */
export type Hold =
  /** Several budgets select it, and the API evicts no such pod. */
  | {
      readonly kind: "overlapping-budgets";
      readonly budgets: readonly string[];
      readonly words: string;
    }
  /** The rule of its budget leaves no pod to spare. */
  | {
      readonly kind: "unmeetable-budget";
      readonly budgets: readonly string[];
      readonly words: string;
    }
  /** Its budget allows no disruption as long as no other of its pods becomes healthy. */
  | { readonly kind: "budget"; readonly budgets: readonly string[]; readonly words: string }
  /** Another pod is made first, so that its budget need not let it go. */
  | { readonly kind: "room"; readonly budgets: readonly string[]; readonly words: string }
  /** Its budget never lets it go, but an operator may move it once the node is closed. */
  | { readonly kind: "operator"; readonly budgets: readonly string[]; readonly words: string }
  | { readonly kind: "protection"; readonly words: string }
  /** It is protected, or its budget can never be met, but it may end by itself at any time. */
  | { readonly kind: "own-end"; readonly words: string }
  /** It is critical, and leaves after the ordinary pods. */
  | { readonly kind: "tier"; readonly words: string }
  /** The API server refuses its eviction for another reason than budgets. */
  | { readonly kind: "refused"; readonly words: string }
  | { readonly kind: "only-cordoned"; readonly words: string }
  /** It is ending, but its finalizers keep it in the API. */
  | { readonly kind: "finalizers"; readonly words: string }
  /** It is ending, and takes the time of its grace. */
  | { readonly kind: "ending"; readonly words: string };

/** The hold on a pod now; `undefined` if the pod would be evicted at once. */
export function tryHold(forecastPod: ForecastPod, snapshot: Snapshot): Hold | undefined {
  const { pod, life } = forecastPod;
  if (isTerminating(pod)) return ending(forecastPod);
  const protection = tryProtectionOf(pod, snapshot);
  if (protection !== undefined && life === "until it ends")
    return { kind: "own-end", words: `until it ends by itself, protected by ${protection}` };
  if (protection !== undefined) return { kind: "protection", words: `protected by ${protection}` };
  if (snapshot.settings.mode !== "evict") return onlyCordoned;
  if (waitsForTier(pod, snapshot)) return tier;
  return tryRefusal(forecastPod, snapshot) ?? tryBudgetHold(forecastPod, snapshot);
}

function tryRefusal({ pod }: ForecastPod, { ledger }: Snapshot): Hold | undefined {
  const answer = ledger.attempts.get(pod.uid)?.answer;
  return answer?.kind === "denied" || answer?.kind === "namespace-terminating"
    ? { kind: "refused", words: `its eviction is refused (${answer.kind}): ${answer.message}` }
    : undefined;
}

const onlyCordoned = { kind: "only-cordoned", words: "this deployment only cordons" } as const;
const tier = { kind: "tier", words: "critical, so it leaves after the ordinary pods" } as const;

function ending({ pod: { finalizers } }: ForecastPod): Hold {
  const held = keeping(finalizers);
  return held.length === 0
    ? { kind: "ending", words: "it is ending" }
    : { kind: "finalizers", words: `it ends, but stays for its finalizers ${held.join(", ")}` };
}

// The Job controller takes its finalizer away as soon as the pod has ended.
const passing = "batch.kubernetes.io/job-tracking";

/** The finalizers that keep an ended pod in the API until they are removed. */
export const keeping = (finalizers: readonly string[]): readonly string[] =>
  finalizers.filter((name) => name !== passing);

function tryBudgetHold(
  { pod, operated, room }: ForecastPod,
  { budgets }: Snapshot,
): Hold | undefined {
  const over = budgetsHolding(pod, budgets);
  const [budget] = over;
  if (budget === undefined) return undefined;
  const titles = over.map(budgetTitle);
  if (room !== "none") return { kind: "room", budgets: titles, words: room.words };
  const [doubt] = budgetDoubts(pod, budgets);
  if (doubt === undefined)
    return { kind: "budget", budgets: titles, words: `budget ${budgetStand(budget, pod)}` };
  if (isOfJob(pod)) return { kind: "own-end", words: doubt };
  if (operated !== "" && over.length === 1 && budget.meetable !== "if-counted")
    return {
      kind: "operator",
      budgets: titles,
      words: `budget ${titles.join()} (${ruleWords(budget.rule)}), until the operator of ${operated} moves it, as it may once the node is closed`,
    };
  return {
    kind: over.length > 1 ? "overlapping-budgets" : "unmeetable-budget",
    budgets: titles,
    words: doubt,
  };
}
