import { Fault } from "../../lambda/base/fault.ts";
import { sideBySide } from "../../lambda/base/side-by-side.ts";
import { type Instant, later } from "../../lambda/base/time.ts";
import { budgetsHolding, budgetTitle } from "../../lambda/drain/budget.ts";
import type { Node } from "../../lambda/drain/node.ts";
import { type Pod, podTitle } from "../../lambda/drain/pod.ts";
import type { Forecast, PodForecast } from "../../lambda/forecast/forecast.ts";
import type { ForecastInput } from "../../lambda/forecast/forecast-input.ts";
import type { RoomTurn } from "../../lambda/forecast/forecast-pod.ts";
import { workloadOf } from "../../lambda/forecast/workload.ts";
import type { KubeHosts } from "../../lambda/kubernetes/kube-hosts.ts";
import { KubeWorkloads } from "../../lambda/kubernetes/making-room/kube-workloads.ts";
import { candidateFor, consider } from "../../lambda/making-room/attend.flow.ts";
import type { Workloads } from "../../lambda/making-room/making-room.port.ts";
import { refused, standingWords } from "../../lambda/making-room/room-refusal.ts";
import type { Workload } from "../../lambda/making-room/workload.ts";
import { readsAtOnce } from "../connect/reads-at-once.ts";
import type { PlanSettings } from "./plan-settings.ts";
import type { PlanScope } from "./scope.ts";
import type { PodSurroundings } from "./surroundings.ts";
import { holdsOf } from "./words.ts";

/**
 * Whether a workload whose budget allows no disruption would get more pods first, and how many. If not, both counts are
 * equal.
 */
export interface RoomFirst {
  readonly workload: string;
  readonly from: number;
  readonly to: number;
  /** Why not, or what is waited for; empty otherwise. */
  readonly why: string;
}

interface Ground extends Pick<PodSurroundings, "budgets"> {
  readonly scope: PlanScope;
  readonly settings: PlanSettings;
  readonly reads: KubeHosts;
  readonly now: Instant;
}

const spent = ["budget", "overlapping-budgets", "unmeetable-budget"];

/** Checks each workload whose budget holds a node, as the first drain of these nodes would. */
export async function roomFirst(
  forecasts: readonly Forecast[],
  ground: Ground,
): Promise<readonly RoomFirst[]> {
  const held = forecasts.flatMap(({ node, pods }) =>
    pods
      .filter(isHeld)
      .map(({ forecastPod: { pod } }) => [workloadOf(pod), { pod, node }] as const),
  );
  // The first pod of each workload.
  const first = [...new Map(held.toReversed())];
  const workloads = new KubeWorkloads(ground.reads);
  const found = await sideBySide(first, readsAtOnce, async ([workload, one]) => {
    const verdict = await verdictOn(one, ground, workloads).catch(unknown);
    return verdict === "none" ? [] : [{ workload, ...verdict }];
  });
  return found.flat().toSorted((a, b) => a.workload.localeCompare(b.workload));
}

const isHeld = ({ fate }: PodForecast): boolean =>
  holdsOf(fate).some(({ kind }) => spent.includes(kind));

/** Gives the held pods of nodes that leave together their turns to be let go: as many at once as room is made for. */
export function withRoom(
  inputs: readonly ForecastInput[],
  forecasts: readonly Forecast[],
  room: readonly RoomFirst[],
): readonly ForecastInput[] {
  const made = new Map(
    room.filter(({ why }) => why === "").map((one) => [one.workload, one] as const),
  );
  const nodes = new Set(inputs.map(({ node }) => node.name));
  const held = forecasts
    .filter(({ node }) => nodes.has(node.name))
    .flatMap(({ pods }) => pods.filter(isHeld).map(({ forecastPod: { pod } }) => pod))
    .toSorted((a, b) => podTitle(a).localeCompare(podTitle(b)));
  const turns = new Map(
    [...Map.groupBy(held, workloadOf)].flatMap(([workload, pods]) => {
      const one = made.get(workload);
      return one === undefined ? [] : pods.map(({ uid }, index) => [uid, turnOf(one, index)]);
    }),
  );
  return inputs.map((input) => ({
    ...input,
    forecastPods: input.forecastPods.map((one) => ({
      ...one,
      room: turns.get(one.pod.uid) ?? "none",
    })),
  }));
}

const turnOf = ({ workload, from, to }: RoomFirst, index: number): RoomTurn => ({
  words: `room is made first: ${workload} ${from} → ${to} pods`,
  turn: Math.floor(index / (to - from)),
});

type RoomVerdict = Omit<RoomFirst, "workload">;

const not = (why: string, count = 0): RoomVerdict => ({ from: count, to: count, why });

function unknown(cause: unknown): RoomVerdict {
  if (!(cause instanceof Fault)) throw cause;
  return not(`nobody knows: ${cause.message}`);
}

async function verdictOn(
  { pod, node }: { readonly pod: Pod; readonly node: Node },
  ground: Ground,
  workloads: Workloads,
): Promise<RoomVerdict | "none"> {
  const { now, settings: all } = ground;
  const settings = all.settingsFor(node);
  const budgets = budgetsHolding(pod, ground.budgets.get(pod.namespace) ?? []);
  // A drain makes no room for a budget that is not up to date.
  const isSpent = budgets.every((one) => one.observed && one.disruptionsAllowed <= 0);
  if (settings.makeRoom === "off" || !isSpent) return "none";
  const workload = await candidateFor({ pod, budgets }, settings, workloads);
  if ("why" in workload) return not(standingWords(workload) || "nobody has asked for it");
  const until = later(now, all.lengthsOf(settings).toDeadline);
  const need = { node: node.name, budget: budgets.map(budgetTitle).join(), until };
  const replicas = await workloads.replicasOf(workload);
  if (typeof replicas === "string") return not(standingWords(refused(replicas)), workload.replicas);
  const leaving = ground.scope.kind === "nodes" ? ground.scope.nodes : [node];
  const draining = new Set(leaving.map(({ name }) => name));
  const namespace = await workloads.namespaceWishes(pod.namespace);
  const scene = { workload, replicas, draining, need, settings, namespace, now };
  return verdictBy(await consider(scene, workloads), workload);
}

function verdictBy(
  step: Awaited<ReturnType<typeof consider>>,
  { replicas: count }: Workload,
): RoomVerdict {
  if ("why" in step) return not(standingWords(step), count);
  if (step.kind === "cheapen" || step.change === "nothing" || step.change.stage !== "surged")
    return not("its count is about to be put back", count);
  return { from: step.change.from, to: step.change.to, why: "" };
}

/** What would happen to a workload, for people. */
export const roomFirstWords = ({ workload, from, to, why }: RoomFirst): string =>
  why === ""
    ? `${workload}: ${from} → ${to} pods until those here are let go`
    : `${workload}: ${why}`;
