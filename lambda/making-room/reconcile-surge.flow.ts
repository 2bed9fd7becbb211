import { answeredBy } from "../base/answered-by.ts";
import { type NodeName, nodeName } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import { earliest, type Instant, later, latest, never, seconds } from "../base/time.ts";
import { deadlineIn, isMarkedFor } from "../drain/cause.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";
import { markedAtAnnotation, tryWrittenAt } from "../drain/marking.ts";
import { consider, type Taken } from "./consider.flow.ts";
import type { KnownSurges } from "./known-surges.ts";
import type { RoomNodes, RoomPorts, Workloads } from "./making-room.port.ts";
import { nextRoomStep } from "./next-room-step.ts";
import { surgeAt } from "./record.ts";
import { hasLetGo } from "./recount.ts";
import { hindered, nothing, type RoomState, refused } from "./room-refusal.ts";
import { type DrainMark, displacedOf, isOn, type RoomScene, waiting } from "./room-scene.ts";
import type { RoomWrite, SetDeletionCosts } from "./room-step.ts";
import { type Workload, workloadTitle } from "./workload.ts";

/** The need, the nodes, the settings and the ports with which workloads are examined. */
export interface SurgeContext
  extends Pick<RoomNodes, "hosts">,
    Pick<RoomScene, "draining" | "need" | "settings"> {
  readonly workloads: Workloads;
  readonly known: Pick<KnownSurges, "began" | "ended" | "rests" | "watches">;
  readonly ports: Pick<RoomPorts, "clock" | "journal">;
  /** Whether a command ends, and not a message of the schedule, which comes again. */
  readonly isCommand?: boolean;
}

/** Whether this process has surged a workload, or waited for its surge. */
export const isOwn = ({ uid }: Workload, { known, ports }: SurgeContext): boolean =>
  known.watches(uid, ports.clock.now());

/** Reads the context of a surge. A `need` of `none` only puts raised replicas back. To a command the drains of some nodes are known to be over; a schedule knows of none. */
export async function surgeContextOf(
  need: SurgeContext["need"],
  settings: DrainSettings,
  ports: RoomPorts & Pick<SurgeContext, "known">,
  over?: readonly NodeName[],
): Promise<SurgeContext> {
  const { cordoned, hosts } = await ports.cluster.nodes();
  // Not those that are only cordoned because they are at risk.
  const marked = cordoned.filter(
    (node) => markedAtAnnotation in node.annotations && !isMarkedFor("at-risk", node),
  );
  const ended = over ?? [];
  // The drain's own node is missing here if it is gone, or is uncordoned and may get the new pod itself.
  const draining = new Map(
    marked.map((node) => {
      const at = tryWrittenAt(node, markedAtAnnotation) ?? never;
      const deadline = deadlineIn(node);
      // A drain at a terminal has no deadline in its mark: another one of the same node goes on.
      const goesOn = deadline > ports.clock.now() && deadline < never;
      return [node.name, { at, deadline, isOver: ended.includes(node.name) && !goesOn }];
    }),
  );
  const workloads = await ports.cluster.workloads();
  const { known } = ports;
  const isCommand = over !== undefined;
  return { need, settings, draining, hosts, workloads, known, ports, isCommand };
}

/** Chooses the next step of a workload; no other surge while it rests from those before. */
async function considerNow(
  scene: RoomScene,
  { workloads, known, hosts }: Pick<SurgeContext, "hosts" | "known" | "workloads">,
): Promise<Taken> {
  const step = await consider(scene, {
    hosts,
    asked: (node) => workloads.asked(node),
    othersUnder: (budget, workload) => workloads.othersUnder(budget, workload),
    volumesOf: (workload) => workloads.volumesOf(workload),
  });
  const taken =
    beginsSurge(step) && known.rests(scene.workload.uid, scene.now) ? refused(inVain) : step;
  return "why" in taken && scene.need !== "none" && hasLetGo(scene) ? waiting(scene) : taken;
}

const inVain = "its surges are undone before they move a pod, so it gets no other one for a while";

const beginsSurge = (step: Taken): boolean =>
  step.kind === "write" && step.change !== "nothing" && step.change.stage === "surged";

/**
 * The nodes that pods have to leave: those being drained, and, before a surge ends, those that are gone before their drains. Pods of the latter
 * look ready until they are removed, and the room made for them has to stay until then.
 */
async function nodesToLeave(
  scene: RoomScene,
  { hosts }: Pick<SurgeContext, "hosts">,
): Promise<RoomScene["draining"]> {
  const { workload, replicas, draining, now } = scene;
  const isSurged = surgeAt(now, workload.annotations) !== undefined;
  if (!isSurged || !isOn(scene) || "why" in nextRoomStep(scene)) return draining;
  const there = new Set((await hosts()).map(({ node }) => node.name));
  const gone = replicas
    .map(({ pod }) => pod.node)
    .filter((name) => name !== "" && !there.has(name) && !draining.has(name));
  const mark: DrainMark = { at: never, deadline: never, isGone: true };
  return new Map([...draining, ...gone.map((name) => [name, mark] as const)]);
}

// A namespace with slow objects takes no time from the others.
export const longestReconcile = seconds(10);

// A surge needs fewer, unless others keep making its pods.
const mostSteps = 50;

/** Takes the steps of a workload until one has to wait, for ten seconds at most. Keeps no state: the next look finds what is left to do. */
export async function reconcileSurge(found: Workload, context: SurgeContext): Promise<RoomState> {
  const { workloads, ports } = context;
  const ends = later(ports.clock.now(), longestReconcile);
  const triesEnd = later(ports.clock.now(), longestTries);
  const namespace = await workloads.namespaceWishes(found.namespace);
  const look = { ...context, namespace, written: [], tries: 0, triesEnd };
  let workload = found;
  let last: RoomState = nothing;
  for (let steps = 0; steps < mostSteps; steps += 1) {
    const taken = await takeStep(workload, look);
    if (taken.kind !== "goes on") return taken;
    last = { ...taken, kind: "awaited" };
    if (ports.clock.now() >= ends) return last;
    const now = await workloads.reload(workload);
    if (now === "gone") return nothing;
    workload = now;
  }
  return context.need === "none" ? last : nothing;
}

/** One look at a workload. */
interface Look extends SurgeContext {
  readonly namespace: Labels;
  /** The UIDs of the objects whose counts or records it has written. */
  readonly written: string[];
  /** How often it has tried to set the costs of pods, and until when it does so again: the count goes back in the same look. */
  tries: number;
  readonly triesEnd: Instant;
}

/** The state of a workload after a step; `goes on` unless there is something to wait for. */
type StepEnd = RoomState | (Omit<RoomState, "kind"> & { readonly kind: "goes on" });

/** Takes one step of a workload. */
async function takeStep(workload: Workload, look: Look): Promise<StepEnd> {
  const { workloads, ports } = look;
  const replicas = await workloads.replicasOf(workload);
  if (typeof replicas === "string") return refused(replicas);
  const isLastLook = look.isCommand === true && isOwn(workload, look);
  const scene = { ...look, workload, replicas, isLastLook, now: ports.clock.now() };
  const draining = await nodesToLeave(scene, look);
  const step = await considerNow({ ...scene, draining }, look);
  if ("why" in step) return step;
  if (step.kind === "write") return writeStep(step, { ...scene, draining }, look);
  await cheapen(step, look);
  return { ...hindered(slowAnswers), kind: "goes on" };
}

/** Writes a count or a record. No later look follows if counts are only put back: then the state says why one may still be raised. */
async function writeStep(step: RoomWrite, scene: RoomScene, look: Look): Promise<StepEnd> {
  const done = await look.workloads.write(step);
  if (done === "written") noteWritten(step, scene, look);
  const isEnd = done === "written" && isLast(step, scene.workload);
  // Another drain may have written first.
  const isOver = done === "written" ? endsLook(step, look) : look.need !== "none";
  const kind = isOver ? "awaited" : "goes on";
  if (isEnd || look.need !== "none" || raisesScaler(step)) return { ...waiting(scene), kind };
  return { ...hindered(done === "written" && !isOver ? slowAnswers : othersWrite), kind };
}

const slowAnswers = "the API server answers in time";
const othersWrite = "nobody else writes it at the same time";

/** Whether a step ends a surge. */
const isLast = ({ to, record }: RoomWrite, { uid }: Workload): boolean =>
  to.uid === uid && (record === "none" || record.phase !== "up");

/** Whether a step raises an autoscaler, which takes seconds to follow; others may take that back at once. */
const raisesScaler = (step: Taken): boolean =>
  step.kind === "write" && "min" in step.to && step.record !== "none";

// A webhook that is down may keep a write for half a minute. Where lists are slow, too, there is less time: the count goes back in the same look.
const [shortestTry, longestTry, longestTries] = [seconds(1), seconds(3), seconds(6)];

/** Makes pods cheap, or fails; where the step allows that, also if there is no answer soon. */
async function cheapen({ pods, mayFail }: SetDeletionCosts, look: Look): Promise<void> {
  const { workloads, ports } = look;
  const answers = pods.map((one) => workloads.write(one));
  look.tries += 1;
  if (!mayFail) {
    await Promise.all(answers);
    return;
  }
  const now = ports.clock.now();
  const limit = latest(later(now, shortestTry), earliest(later(now, longestTry), look.triesEnd));
  const done = await answeredBy(limit, Promise.allSettled(answers), ports.clock);
  if (done === "unanswered" || ports.clock.now() >= look.triesEnd)
    look.tries = Number.POSITIVE_INFINITY;
}

/** Whether a look ends with what it has just written. Others may undo each write at once, so it writes nothing more than twice. */
function endsLook(step: RoomWrite, { written }: Look): boolean {
  const { uid } = step.to;
  const isAgain = written.includes(uid);
  written.push(uid);
  return isAgain || raisesScaler(step);
}

/** Records a step, and remembers a surge that begins or ends by it: others may change its record before the next look. */
function noteWritten(step: RoomWrite, scene: RoomScene, look: Look): void {
  const { workload } = scene;
  tell(step.change, workload, look);
  if (step.to.uid === workload.uid) remember(step, scene, look);
}

function remember(
  { record }: RoomWrite,
  scene: RoomScene,
  { known, ports }: Pick<SurgeContext, "known" | "ports">,
): void {
  const { uid } = scene.workload;
  // A look that began before the answer may have read the workload as it was before.
  const now = ports.clock.now();
  if (record === "none" || record.phase !== "up") known.ended(uid, now);
  else {
    const pods = displacedOf(scene).map(({ pod }) => pod.uid);
    known.began(uid, { raisedTo: record.is, pods }, now);
  }
}

/** Records what was done about a workload, or why nothing was. */
export function tell(
  change: RoomWrite["change"],
  { kind, namespace, name, uid }: Workload,
  { need, ports }: Pick<SurgeContext, "need" | "ports">,
): void {
  if (change === "nothing") return;
  ports.journal.record({
    kind: "making-room",
    node: need === "none" ? nodeName("") : need.node,
    ...change,
    workload: `${namespace}/${workloadTitle({ kind, name })}`,
    owner: { apiVersion: "apps/v1", kind, namespace, name, uid },
  });
}
