import { type NodeName, nodeName } from "../base/ids.ts";
import { tryCause } from "../drain/cause.ts";
import type { CordonedNode } from "../drain/cluster.port.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";
import { markedAtAnnotation } from "../drain/marking.ts";
import type { RoomChange } from "../registrations/entry.ts";
import type { Ports } from "../registrations/ports.ts";
import type { Rescaling } from "../registrations/workloads.port.ts";
import { type Need, nextRoomStep, type RoomStep } from "./next-room-step.ts";
import { tryRecord } from "./record.ts";
import { refusalWords } from "./room-refusal.ts";
import type { RoomStanding } from "./room-words.ts";
import { type Workload, workloadTitle } from "./workload.ts";

/** Who looks at a workload, and why. */
export interface Attendance {
  /** The drain that needs room; `none` for whoever only puts back what nobody needs. */
  readonly need: Need | "none";
  readonly settings: DrainSettings;
}

// A surge needs fewer, but for one whose Deployment others keep writing.
const mostSteps = 50;

/** Takes one step after the other about a workload, until there is something to wait for. Whoever comes next finds out what is left to do. */
export async function attend(
  found: Workload,
  attendance: Attendance,
  ports: Ports,
): Promise<RoomStanding> {
  const { clock, cluster } = ports;
  const workloads = await cluster.workloads();
  const draining = drainingAmong(await cluster.cordonedNodes(), attendance.need);
  let workload: Workload | "gone" = found;
  for (let steps = 0; workload !== "gone" && steps < mostSteps; steps += 1) {
    const replicas = await workloads.replicasOf(workload);
    const step = nextRoomStep({ ...attendance, workload, replicas, draining, now: clock.now() });
    const standing = await take(step, { workload, attendance, ports });
    // A Deployment is written whenever one of its pods comes or goes. Whoever only puts back has no later look.
    const isLate = standing !== "go on" && standing.kind === "waits" && standing.surplus;
    if (standing !== "go on" && !(isLate && attendance.need === "none")) return standing;
    workload = await workloads.again(workload);
  }
  return { kind: "nothing" };
}

/** The nodes that are being drained: not those that are only cordoned because they are at risk. */
function drainingAmong(
  cordoned: readonly CordonedNode[],
  need: Need | "none",
): ReadonlySet<NodeName> {
  const marked = cordoned.filter(
    (node) => markedAtAnnotation in node.annotations && tryCause(node)?.reason !== "at-risk",
  );
  const own = need === "none" ? [] : [need.node];
  return new Set([...marked.map(({ name }) => name), ...own]);
}

interface Taking {
  readonly workload: Workload;
  readonly attendance: Attendance;
  readonly ports: Ports;
}

async function take(step: RoomStep, taking: Taking): Promise<RoomStanding | "go on"> {
  const { workload, ports } = taking;
  const workloads = await ports.cluster.workloads();
  switch (step.kind) {
    case "nothing":
    case "refused":
    case "in vain":
      return step;
    case "wait":
      return { ...step, kind: "waits", workload };
    case "surge":
      return surge(step, taking);
    case "raise":
      return onward(
        await workloads.raise(workload, step.scaler, { ...step, min: step.record.is }),
        workload,
      );
    case "cheapen":
      return onward(await workloads.cheapen(step.pod), workload);
    case "lower":
      return onward(
        await workloads.raise(workload, step.scaler, { ...step, record: "none" }),
        workload,
      );
    case "put back":
      return putBack(step, taking);
  }
}

/** Another drain may be ahead. Whoever waits looks again, and lets the ReplicaSet end its pod until then. */
const onward = (rescaling: Rescaling, workload: Workload): RoomStanding | "go on" =>
  rescaling === "written" ? "go on" : letGo(workload);

const letGo = (workload: Workload): RoomStanding => ({
  kind: "waits",
  workload,
  for: [],
  record: tryRecord(workload.annotations) ?? "none",
  surplus: true,
});

type Surge = Extract<RoomStep, { readonly kind: "surge" }>;

async function surge({ record, count }: Surge, taking: Taking): Promise<RoomStanding | "go on"> {
  const { workload, ports } = taking;
  const workloads = await ports.cluster.workloads();
  const claim = await workloads.oneNodeClaim(workload);
  if (claim !== "none") return { kind: "refused", refusal: { kind: "volume", ...claim } };
  const rescaling = await workloads.rescale(workload, record, count);
  if (rescaling !== "written") return letGo(workload);
  tell({ stage: "surged", from: record.was, to: record.is, why: record.why }, taking);
  return "go on";
}

type PutBack = Extract<RoomStep, { readonly kind: "put back" }>;

async function putBack(step: PutBack, taking: Taking): Promise<RoomStanding | "go on"> {
  const { record, note, count, why } = step;
  const { workload, ports } = taking;
  const workloads = await ports.cluster.workloads();
  const rescaling = await workloads.rescale(workload, note, count);
  if (rescaling !== "written") return letGo(workload);
  if (record.phase === "none") return { kind: "nothing" };
  const to = count === "as it is" ? workload.replicas : count;
  tell({ ...ended(step), from: record.is, to }, taking);
  // The ReplicaSet ends the pod in a moment.
  if (step.end === "made") return letGo(workload);
  return note === "none" ? { kind: "nothing" } : { kind: "in vain", why };
}

function ended({ end, why, record }: PutBack): Pick<RoomChange, "stage" | "why"> {
  if (end === "made") return { stage: "made", why: record.why };
  return why === "" ? { stage: "put back", why: end } : { stage: "given up", why };
}

/** Tells the journal what was done about a workload. */
function tell(
  change: Pick<RoomChange, "from" | "stage" | "to" | "why">,
  { workload, attendance: { need }, ports }: Taking,
): void {
  const node = need === "none" ? nodeName("") : need.node;
  ports.journal.record({ kind: "making-room", node, ...whose(workload), ...change });
}

/** Tells the journal once that no room is made, and why. */
export function refusedEntry(workload: Workload, standing: RoomStanding): RoomChange | undefined {
  if (standing.kind !== "refused" || standing.refusal.kind === "off") return undefined;
  const why = refusalWords(standing.refusal);
  const { replicas } = workload;
  return { ...whose(workload), stage: "not tried", from: replicas, to: replicas, why };
}

const whose = (workload: Workload): Pick<RoomChange, "owner" | "workload"> => {
  const { namespace, name, uid } = workload;
  return {
    workload: `${namespace}/${workloadTitle(workload)}`,
    owner: { apiVersion: "apps/v1", kind: "Deployment", namespace, name, uid },
  };
};
