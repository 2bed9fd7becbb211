import { later } from "../base/time.ts";
import { holdsNode } from "../drain/pod-class.ts";
import type { ForecastPod } from "./forecast-pod.ts";
import { type Hold, tryHold } from "./hold.ts";
import type { Simulation, Spent } from "./simulation.ts";

/** The pods that hold the node now, as they are now. */
const holding = ({ snapshot, setting }: Simulation): readonly ForecastPod[] =>
  snapshot.pods
    .filter((pod) => holdsNode(pod, snapshot))
    .flatMap((pod) => {
      const forecastPod = setting.forecastPods.get(pod.uid);
      return forecastPod === undefined ? [] : [{ ...forecastPod, pod }];
    });

/** The holds on each pod up to now. */
export function heldUpToNow(state: Simulation): Simulation["holds"] {
  const found = new Map(state.holds);
  for (const forecastPod of holding(state)) {
    const { uid } = forecastPod.pod;
    const before = found.get(uid) ?? [];
    const hold = tryHold(forecastPod, state.snapshot);
    if (hold !== undefined && hold.kind !== before.at(-1)?.kind) found.set(uid, [...before, hold]);
  }
  return found;
}

// Of several reasons, the first is the one to remove.
const order: readonly Hold["kind"][] = [
  "unmeetable-budget",
  "overlapping-budgets",
  "refused",
  "protection",
  "only-cordoned",
  "finalizers",
  "budget",
  "room",
  "operator",
  "own-end",
  "ending",
];

const words: Readonly<Partial<Record<Hold["kind"], string>>> = {
  refused: "pods whose eviction is refused",
  protection: "protected pods",
  "only-cordoned": "pods that leave by themselves",
  finalizers: "finalizers",
  "own-end": "pods that end by themselves",
  ending: "pods that end",
};

/**
 * The reason for the drain's wait at this moment. Among several reasons it is the one that has to
 * be removed first.
 */
export function reasonToWait(state: Simulation): Omit<Spent, "time"> {
  const { snapshot, targets } = state;
  const held = holding(state);
  if (held.length === 0) return { on: reasonWhenEmpty(state), budget: "" };
  if (targets.some(({ state: now }) => now === "serving"))
    return { on: "load balancers", budget: "" };
  const holds = held.flatMap((forecastPod) => tryHold(forecastPod, snapshot) ?? []);
  const first = order.flatMap((kind) => holds.find((hold) => hold.kind === kind) ?? []).at(0);
  if (first === undefined) return { on: "the mark", budget: "" };
  if (!("budgets" in first)) return { on: words[first.kind] ?? "", budget: "" };
  const budget = first.budgets.join(" and ");
  return { on: `budget ${budget}`, budget };
}

function reasonWhenEmpty({ snapshot: { volumes, now, marked, settings } }: Simulation): string {
  if (volumes.kind === "read" && volumes.attached.length > 0) return "volumes";
  return now < later(marked, settings.settle) ? "the mark to settle" : "load balancers";
}
