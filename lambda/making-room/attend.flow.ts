import { sleepFor } from "../base/clock.port.ts";
import { Fault } from "../base/fault.ts";
import { nodeName } from "../base/ids.ts";
import { seconds } from "../base/time.ts";
import { tryCause } from "../drain/cause.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";
import type { HeldPod } from "../drain/held-by-budget.ts";
import { markedAtAnnotation } from "../drain/marking.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import type { RoomChange } from "../registrations/entry.ts";
import type { Rescaling, Workloads } from "../registrations/kubernetes.port.ts";
import type { Ports } from "../registrations/ports.ts";
import {
  displacedOf,
  type Need,
  nextRoomStep,
  type RoomScene,
  type RoomStanding,
  type RoomStep,
} from "./next-room-step.ts";
import { placesFor } from "./place-for.flow.ts";
import { recordAnnotation, recordLabel, tryRecord } from "./record.ts";
import { type RoomRefusal, tryOff } from "./room-refusal.ts";
import { type Workload, workloadTitle } from "./workload.ts";

/** Who looks at workloads, why, and through what. */
export interface Attendance extends Pick<RoomScene, "draining" | "need" | "settings"> {
  readonly workloads: Workloads;
  readonly ports: Pick<Ports, "clock" | "journal">;
}

/** The attendance of a drain that needs room; `none` for whoever only puts back what nobody needs. */
export async function attendanceOf(
  need: Need | "none",
  settings: DrainSettings,
  ports: Ports,
): Promise<Attendance> {
  const cordoned = await ports.cluster.cordonedNodes();
  // Not those that are only cordoned because they are at risk.
  const marked = cordoned.filter(
    (node) => markedAtAnnotation in node.annotations && tryCause(node)?.reason !== "at-risk",
  );
  // Not its own node either, if that is gone, or is open and may get the new pod itself.
  const draining = new Set(marked.map(({ name }) => name));
  return { need, settings, draining, workloads: await ports.cluster.workloads(), ports };
}

/** The workload that may make room for a pod, or why none does. */
export async function candidateFor(
  { pod, budgets }: HeldPod,
  { makeRoom }: DrainSettings,
  workloads: Workloads,
): Promise<Workload | Refused> {
  if (budgets.length > 1) return refused({ kind: "two-budgets" });
  const maker = await workloads.makerOf(pod);
  if (maker.kind === "other") return refused({ kind: "controller", type: maker.type });
  const namespace = await workloads.namespaceWishes(pod.namespace);
  const off = tryOff(makeRoom, namespace, maker);
  return off === undefined ? maker : refused(off);
}

type Refused = Extract<RoomStanding, { readonly kind: "refused" }>;

const refused = (refusal: RoomRefusal): Refused => ({ kind: "refused", refusal });

/** What to do next about a workload, with all that has to be read for it: nothing is surged whose pod would find no node. */
export async function consider(scene: RoomScene, workloads: Workloads): Promise<RoomStep> {
  const step = nextRoomStep(scene);
  const [model] = displacedOf(scene);
  if (step.kind !== "surge" || model === undefined) return step;
  const volumes = await workloads.volumeDemands(scene.workload);
  if (volumes.kind === "one-node") return refused({ ...volumes, kind: "volume" });
  const { record, count } = step;
  const demands = [...model.demands, ...volumes.demands];
  const wanted = record.is - record.was;
  const places = await placesFor({ ...model, demands }, scene, { wanted, workloads });
  if (typeof places !== "number") return refused(places);
  const is = record.was + places;
  return { ...step, record: { ...record, is }, count: count === "as it is" ? count : is };
}

// A surge needs fewer, but for one whose Deployment others keep writing.
const mostSteps = 50;

/** Takes one step after the other about a workload, until there is something to wait for. Whoever comes next finds out what is left to do. */
export async function attend(found: Workload, attendance: Attendance): Promise<RoomStanding> {
  const { workloads, ports, need } = attendance;
  let workload: Workload | "gone" = found;
  for (let steps = 0; workload !== "gone" && steps < mostSteps; steps += 1) {
    const replicas = await workloads.replicasOf(workload);
    const scene = { ...attendance, workload, replicas, now: ports.clock.now() };
    const standing = await take(await consider(scene, workloads), workload, attendance);
    // A Deployment is written whenever one of its pods comes or goes. Whoever only puts back has no later look.
    const isLate = standing !== "go on" && standing.kind === "wait" && standing.surplus;
    if (standing !== "go on" && !(isLate && need === "none")) return standing;
    workload = await workloads.again(workload);
  }
  return { kind: "nothing" };
}

/** Puts back every count of these that nobody needs. One that fails keeps none of the others; the next pass of anybody tries it again. */
export async function giveBack(attendance: Attendance): Promise<void> {
  const { workloads, ports } = attendance;
  for (const workload of await workloads.recorded())
    await attend(workload, attendance).catch((cause: unknown) =>
      ports.journal.record(faultEntry(cause)),
    );
}

const mostLooks = 12;
const restBetweenLooks = seconds(5);

/** Not those that have the label alone, which anybody in a namespace may write. */
async function raisedIn(workloads: Workloads): Promise<readonly Workload[]> {
  const all = await workloads.recorded();
  return all.filter((one) =>
    [one, one.scaler].some((it) => it !== "none" && tryRecord(it.annotations) !== undefined),
  );
}

/** Puts back every count that is raised, whatever drains are under way, until there is none: nobody has the right to it from now on. */
export async function giveAllBack(attendance: Attendance): Promise<void> {
  const { workloads, ports } = attendance;
  for (let looks = 0; looks < mostLooks; looks += 1) {
    if ((await raisedIn(workloads)).length === 0) return;
    await giveBack(attendance);
    await sleepFor(restBetweenLooks, ports.clock);
  }
  const left = (await raisedIn(workloads)).map((one) => `${one.namespace}/${workloadTitle(one)}`);
  throw new Fault(
    "cluster.refused",
    `putting back the counts of ${left.join(", ")}: still raised; put them and their autoscalers back, and remove the annotation ${recordAnnotation} and the label ${recordLabel}`,
  );
}

/** Puts back every count that was raised for a drain that does not need it any more, whoever has raised it. */
export async function putRoomBack(settings: DrainSettings, ports: Ports): Promise<void> {
  if (settings.makeRoom === "off") return;
  try {
    await giveBack(await attendanceOf("none", settings, ports));
  } catch (cause) {
    ports.journal.record(faultEntry(cause));
  }
}

async function take(
  step: RoomStep,
  workload: Workload,
  attendance: Attendance,
): Promise<RoomStanding | "go on"> {
  const { workloads } = attendance;
  const after = (rescaling: Rescaling) => (rescaling === "written" ? "go on" : letGo(workload));
  switch (step.kind) {
    case "nothing":
    case "refused":
    case "in vain":
    case "wait":
      return step;
    case "surge": {
      const { record, count } = step;
      const rescaling = await workloads.rescale(workload, record, count);
      const change = { stage: "surged", from: record.was, to: record.is, why: record.why } as const;
      if (rescaling === "written") tell(change, workload, attendance);
      return after(rescaling);
    }
    case "cheapen":
      return after(await workloads.cheapen(step.pod));
    case "lower":
    case "raise":
      return after(await workloads.rescale(step.scaler, step.record, step.min));
    case "put back":
      return putBack(step, workload, attendance);
  }
}

/** Another drain may be ahead. Whoever waits looks again, and lets the ReplicaSet end its pod until then. */
export const letGo = (workload: Workload): RoomStanding => ({
  ...{ kind: "wait", workload, for: [], surplus: true },
});

async function putBack(
  { record, note, count, end, why }: Extract<RoomStep, { readonly kind: "put back" }>,
  workload: Workload,
  attendance: Attendance,
): Promise<RoomStanding> {
  const rescaling = await attendance.workloads.rescale(workload, note, count);
  if (rescaling !== "written") return letGo(workload);
  if (record.phase === "none") return { kind: "nothing" };
  const change = { from: record.is, to: count === "as it is" ? workload.replicas : count };
  if (end === "made") tell({ ...change, stage: "made", why: record.why }, workload, attendance);
  else if (why === "") tell({ ...change, stage: "put back", why: end }, workload, attendance);
  else tell({ ...change, stage: "given up", why }, workload, attendance);
  // The ReplicaSet ends the pod in a moment.
  if (end === "made") return letGo(workload);
  return note === "none" ? { kind: "nothing" } : { kind: "in vain", why };
}

/** Tells the journal what was done about a workload, or why nothing is. */
export function tell(
  change: Pick<RoomChange, "from" | "stage" | "to" | "why">,
  { kind, namespace, name, uid }: Workload,
  { need, ports }: Pick<Attendance, "need" | "ports">,
): void {
  ports.journal.record({
    ...{ kind: "making-room", node: need === "none" ? nodeName("") : need.node, ...change },
    workload: `${namespace}/${workloadTitle({ kind, name })}`,
    owner: { apiVersion: "apps/v1", kind, namespace, name, uid },
  });
}
