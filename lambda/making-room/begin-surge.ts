import type { Labels } from "../base/labels.ts";
import { between, earliest, later, seconds } from "../base/time.ts";
import { type Budget, budgetTitle, selects } from "../drain/budget.ts";
import { costAnnotation, lowestCost, unneededCost } from "./record.ts";
import { nothing, refused, tryRoomRefusal } from "./room-refusal.ts";
import {
  activeOf,
  displacedOf,
  type RoomNeed,
  type RoomScene,
  readyIn,
  readyUnder,
  titleOf,
  waiting,
} from "./room-scene.ts";
import type { RoomStep } from "./room-step.ts";
import { longestSurge } from "./surge-time.ts";
import { mostMore, mostOf, type Replica, type Workload } from "./workload.ts";

const shortestSurge = seconds(10);

/** Decides whether a workload is surged for a drain, or why it is not. */
export function beginSurge(need: RoomNeed, scene: RoomScene): RoomStep {
  const { workload, now } = scene;
  const { replicas: was, maxSurge, scalers } = workload;
  const displaced = displacedOf(scene);
  if (displaced.length === 0) return nothing;
  const refusal = tryRoomRefusal(workload);
  if (refusal !== undefined) return refused(refusal);
  const staying = activeOf(scene).filter((replica) => !displaced.includes(replica));
  if (othersEndFirst(workload, staying))
    return refused(
      "the pod-deletion-cost of its own pods is the lowest, so others would end first",
    );
  // A rollout may already bring the pod.
  const found = [activeOf(scene).length, readyIn(scene)];
  if (workload.state === "under way" || found.some((one) => one !== was)) return waiting(scene);
  const until = earliest(need.until, later(now, longestSurge));
  if (between(now, until) < shortestSurge)
    return refused("there is no time left to wait for another pod");
  // At most what a rollout may make more, and what an autoscaler allows.
  const pods = displaced.slice(
    0,
    Math.min(maxSurge, mostMore, ...scalers.map((one) => mostOf(one) - was)),
  );
  const uneven = tryUneven(pods, workload, need);
  if (uneven !== undefined) return refused(uneven);
  const { node, budgets } = need;
  if (budgets.some((one) => isBehind(one, scene))) return waiting(scene);
  const why = `node ${node} under budget ${budgets.map(budgetTitle).join()}`;
  const record = { phase: "up", was, is: was + pods.length, since: now, until, why } as const;
  return { kind: "surge", pods, budgets, record };
}

/** Whether other pods would end before those that the surge is to end. */
const othersEndFirst = ({ cost }: Pick<Workload, "cost">, staying: readonly Replica[]): boolean =>
  Number(cost) <= Number(unneededCost) ||
  staying.some(({ pod }) => Number(pod.annotations[costAnnotation]) <= Number(lowestCost));

/** Whether a budget counts fewer pods than are ready, so that it may let one go in a moment. */
const isBehind = (budget: Budget, scene: RoomScene): boolean =>
  budget.currentHealthy < readyUnder(budget, scene);

/**
 * Why new pods would not stand in for these: some budget selects one of them and not the new ones, as by the label of a
 * leader, and would lack it at the end.
 */
function tryUneven(
  pods: readonly Replica[],
  { namespace, labels }: Pick<Workload, "labels" | "namespace">,
  { budgets, all }: Pick<RoomNeed, "all" | "budgets">,
): string | undefined {
  const own = titlesOf(budgets);
  const titlesOver = (some: Labels): string =>
    titlesOf(all.filter((one) => one.namespace === namespace && selects(one.selector, some)));
  if (titlesOver(labels) !== own) return "its new pods would be under other budgets";
  const other = pods.find(({ pod }) => titlesOver(pod.labels) !== own);
  return other && `its pod ${titleOf(other)} is under other budgets than its new ones`;
}

const titlesOf = (budgets: readonly Budget[]): string => budgets.map(budgetTitle).toSorted().join();
