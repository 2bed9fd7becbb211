import { Fault } from "../../lambda/base/fault.ts";
import { sideBySide } from "../../lambda/base/side-by-side.ts";
import { later } from "../../lambda/base/time.ts";
import { budgetsHolding } from "../../lambda/drain/budget.ts";
import { KubeWorkloads } from "../../lambda/kubernetes/making-room/kube-workloads.ts";
import { candidateFor, consider } from "../../lambda/making-room/consider.flow.ts";
import type { Workloads } from "../../lambda/making-room/making-room.port.ts";
import { refused, standingWords } from "../../lambda/making-room/room-refusal.ts";
import type { Workload } from "../../lambda/making-room/workload.ts";
import { readsAtOnce } from "../connect/reads-at-once.ts";
import type { HeldWorkload, RoomFirst, RoomGround } from "../plan/room-ground.ts";

/** Checks each workload whose budget holds a node, as the first drain of these nodes would. */
export async function roomFor(
  held: readonly HeldWorkload[],
  ground: RoomGround,
): Promise<readonly RoomFirst[]> {
  const workloads = new KubeWorkloads(ground.reads);
  const found = await sideBySide(held, readsAtOnce, async (one) => {
    const verdict = await verdictOn(one, ground, workloads).catch(unknown);
    return verdict === "none" ? [] : [{ workload: one.workload, ...verdict }];
  });
  return found.flat();
}

type RoomVerdict = Omit<RoomFirst, "workload">;

const not = (why: string, count = 0): RoomVerdict => ({ from: count, to: count, why });

function unknown(cause: unknown): RoomVerdict {
  if (!(cause instanceof Fault)) throw cause;
  return not(`nobody knows: ${cause.message}`);
}

async function verdictOn(
  { pod, node }: HeldWorkload,
  ground: RoomGround,
  workloads: Workloads,
): Promise<RoomVerdict | "none"> {
  const { now, settings: all } = ground;
  const settings = all.settingsFor(node);
  const known = ground.budgets.get(pod.namespace) ?? [];
  const budgets = budgetsHolding(pod, known);
  // A drain makes no room for a budget that is not up to date.
  const isSpent = budgets.every((one) => one.observed && one.disruptionsAllowed <= 0);
  if (settings.makeRoom === "off" || !isSpent) return "none";
  const workload = await candidateFor({ pod, budgets }, settings, workloads);
  if ("why" in workload) return not(standingWords(workload) || "nobody has asked for it");
  const until = later(now, all.lengthsOf(settings).toDeadline);
  const need = { node: node.name, budgets, all: known, until };
  const replicas = await workloads.replicasOf(workload);
  if (typeof replicas === "string") return not(standingWords(refused(replicas)), workload.replicas);
  const leaving = ground.scope.kind === "nodes" ? ground.scope.nodes : [node];
  const draining = new Map(leaving.map(({ name }) => [name, { at: now, deadline: until }]));
  const namespace = await workloads.namespaceWishes(pod.namespace);
  const scene = { workload, replicas, draining, need, settings, namespace, now, tries: 0 };
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
