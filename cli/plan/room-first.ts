import { Fault } from "../../lambda/base/fault.ts";
import { type Instant, later } from "../../lambda/base/time.ts";
import { budgetsHolding, budgetTitle } from "../../lambda/drain/budget.ts";
import type { HeldPod } from "../../lambda/drain/held-by-budget.ts";
import type { Forecast } from "../../lambda/forecast/forecast.ts";
import { workloadOf } from "../../lambda/forecast/workload.ts";
import type { KubeCluster } from "../../lambda/kubernetes/kube-cluster.ts";
import { candidateFor, consider } from "../../lambda/making-room/attend.flow.ts";
import type { RoomStep } from "../../lambda/making-room/next-room-step.ts";
import { standingWords } from "../../lambda/making-room/room-words.ts";
import type { PlanSettings } from "./plan-settings.ts";
import type { Surroundings } from "./surroundings.ts";
import { holdsOf } from "./words.ts";

/** Whether a workload whose budget has nothing to spare would have more pods first, and how many; both counts the same where not. */
export interface RoomFirst {
  readonly workload: string;
  readonly from: number;
  readonly to: number;
  /** Why not, or what is waited for; empty where it would. */
  readonly why: string;
}

interface Ground extends Pick<Surroundings, "budgets"> {
  readonly settings: PlanSettings;
  readonly cluster: KubeCluster;
  readonly now: Instant;
}

/** Asks about each workload that holds a node by its budget, as the first drain of these would. */
export async function roomFirst(
  forecasts: readonly Forecast[],
  ground: Ground,
): Promise<readonly RoomFirst[]> {
  const held = forecasts.flatMap(({ node, pods }) =>
    pods
      .filter(({ fate }) => holdsOf(fate).some(({ kind }) => spent.includes(kind)))
      .map(({ resident: { pod } }) => ({ node, pod, budgets: budgetsOf(pod, ground) })),
  );
  const groups = Map.groupBy(held, ({ pod }) => workloadOf(pod));
  const found = Array.from(groups, async ([workload, [first]]) => {
    const verdict = first && (await verdictOn(first, ground).catch(unknown));
    return verdict === undefined ? [] : [{ workload, ...verdict }];
  });
  const all = (await Promise.all(found)).flat();
  return all.toSorted((a, b) => a.workload.localeCompare(b.workload));
}

const spent = ["budget", "overlapping-budgets", "unmeetable-budget"];

const budgetsOf = (pod: HeldPod["pod"], { budgets }: Ground) =>
  budgetsHolding(pod, budgets.get(pod.namespace) ?? []);

type Verdict = Omit<RoomFirst, "workload">;

const not = (why: string, count = 0): Verdict => ({ from: count, to: count, why });

function unknown(cause: unknown): Verdict {
  if (!(cause instanceof Fault)) throw cause;
  return not(`nobody knows: ${cause.message}`);
}

async function verdictOn(
  held: HeldPod & Pick<Forecast, "node">,
  { cluster, now, settings: all }: Ground,
): Promise<Verdict | undefined> {
  const { node, budgets } = held;
  const settings = all.settingsFor(node);
  if (settings.makeRoom === "off" || budgets.some((one) => one.disruptionsAllowed > 0))
    return undefined;
  const workloads = await cluster.workloads();
  const found = await candidateFor(held, settings, workloads);
  if (found.kind === "refused") return not(standingWords(found, now) || "nobody has asked for it");
  const until = later(now, all.lengthsOf(settings).toDeadline);
  const scene = {
    ...{ workload: found, settings, now, draining: new Set([node.name]) },
    replicas: await workloads.replicasOf(found),
    need: { node: node.name, budget: budgets.map(budgetTitle).join(), until },
  };
  const step = await consider(scene, workloads);
  const { replicas: from } = found;
  return step.kind === "surge"
    ? { from, to: step.record.is, why: "" }
    : not(whyNot(step, now), from);
}

function whyNot(step: RoomStep, now: Instant): string {
  switch (step.kind) {
    case "refused":
    case "in vain":
    case "nothing":
    case "wait":
      return standingWords(step, now);
    default:
      return "its count is about to be put back";
  }
}

/** Says what would become of a workload. */
export const roomFirstWords = ({ workload, from, to, why }: RoomFirst): string =>
  why === ""
    ? `${workload}: ${from} → ${to} pods until those here are let go`
    : `${workload}: ${why}`;
