import { Fault } from "../../lambda/base/fault.ts";
import { sideBySide } from "../../lambda/base/side-by-side.ts";
import { type Instant, later } from "../../lambda/base/time.ts";
import { budgetsHolding, budgetTitle } from "../../lambda/drain/budget.ts";
import type { Node } from "../../lambda/drain/node.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import type { Forecast } from "../../lambda/forecast/forecast.ts";
import { workloadOf } from "../../lambda/forecast/workload.ts";
import type { KubeCluster } from "../../lambda/kubernetes/kube-cluster.ts";
import { candidateFor, consider } from "../../lambda/making-room/attend.flow.ts";
import { refused, standingWords } from "../../lambda/making-room/room-refusal.ts";
import type { Workload } from "../../lambda/making-room/workload.ts";
import { readsAtOnce } from "../connect/reads-at-once.ts";
import type { PlanSettings } from "./plan-settings.ts";
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
  readonly settings: PlanSettings;
  readonly cluster: KubeCluster;
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
      .filter(({ fate }) => holdsOf(fate).some(({ kind }) => spent.includes(kind)))
      .map(({ forecastPod: { pod } }) => [workloadOf(pod), { pod, node }] as const),
  );
  // The first pod of each workload.
  const first = [...new Map(held.toReversed())];
  const found = await sideBySide(first, readsAtOnce, async ([workload, { pod, node }]) => {
    const verdict = await verdictOn(pod, node, ground).catch(unknown);
    return verdict === "none" ? [] : [{ workload, ...verdict }];
  });
  return found.flat().toSorted((a, b) => a.workload.localeCompare(b.workload));
}

type RoomVerdict = Omit<RoomFirst, "workload">;

const not = (why: string, count = 0): RoomVerdict => ({ from: count, to: count, why });

function unknown(cause: unknown): RoomVerdict {
  if (!(cause instanceof Fault)) throw cause;
  return not(`nobody knows: ${cause.message}`);
}

async function verdictOn(pod: Pod, node: Node, ground: Ground): Promise<RoomVerdict | "none"> {
  const { cluster, now, settings: all } = ground;
  const settings = all.settingsFor(node);
  const budgets = budgetsHolding(pod, ground.budgets.get(pod.namespace) ?? []);
  const hasSpare = budgets.some((one) => one.disruptionsAllowed > 0);
  if (settings.makeRoom === "off" || hasSpare) return "none";
  const workloads = await cluster.workloads();
  const workload = await candidateFor({ pod, budgets }, settings, workloads);
  if ("why" in workload) return not(standingWords(workload) || "nobody has asked for it");
  const until = later(now, all.lengthsOf(settings).toDeadline);
  const need = { node: node.name, budget: budgets.map(budgetTitle).join(), until };
  const replicas = await workloads.replicasOf(workload);
  if (typeof replicas === "string") return not(standingWords(refused(replicas)), workload.replicas);
  const draining = new Set([node.name]);
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
