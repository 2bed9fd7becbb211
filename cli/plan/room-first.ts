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
import type { Workload } from "../../lambda/making-room/workload.ts";
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
  const found = Array.from(groups, async ([workload, [first]]) =>
    first === undefined ? [] : roomFor(workload, first, ground),
  );
  const all = (await Promise.all(found)).flat();
  return all.toSorted((a, b) => a.workload.localeCompare(b.workload));
}

const spent = ["budget", "overlapping-budgets", "unmeetable-budget"];

const budgetsOf = (pod: HeldPod["pod"], { budgets }: Ground) =>
  budgetsHolding(pod, budgets.get(pod.namespace) ?? []);

type Held = HeldPod & Pick<Forecast, "node">;

async function roomFor(
  workload: string,
  held: Held,
  { cluster, now, ...ground }: Ground,
): Promise<readonly RoomFirst[]> {
  const { node, budgets } = held;
  const settings = ground.settings.settingsFor(node);
  if (settings.makeRoom === "off" || budgets.some((one) => one.disruptionsAllowed > 0)) return [];
  const not = (why: string, count = 0) => [{ workload, from: count, to: count, why }];
  try {
    const workloads = await cluster.workloads();
    const wishesOf = (name: string) => workloads.namespaceWishes(name);
    const setting = settings.makeRoom;
    const found = await candidateFor(held, { setting, workloads, wishesOf });
    if (found.kind === "refused")
      return not(standingWords(found, now) || "nobody has asked for it");
    const { replicas: count } = found.workload;
    const until = later(now, ground.settings.lengthsOf(settings).toDeadline);
    const step = await consider(
      {
        ...{ workload: found.workload, settings, now, draining: new Set([node.name]) },
        replicas: await workloads.replicasOf(found.workload),
        need: { node: node.name, budget: budgets.map(budgetTitle).join(), until },
      },
      workloads,
    );
    if (step.kind === "surge") return [{ workload, from: count, to: step.record.is, why: "" }];
    return not(whyNot(step, found.workload, now), count);
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    return not(`nobody knows: ${cause.message}`);
  }
}

function whyNot(step: RoomStep, workload: Workload, now: Instant): string {
  switch (step.kind) {
    case "refused":
    case "in vain":
    case "nothing":
      return standingWords(step, now);
    case "wait":
      return standingWords({ ...step, kind: "waits", workload }, now);
    default:
      return "its count is about to be put back";
  }
}

/** Says what would become of a workload. */
export const roomFirstWords = ({ workload, from, to, why }: RoomFirst): string =>
  why === ""
    ? `${workload}: ${from} → ${to} pods until those here are let go`
    : `${workload}: ${why}`;
