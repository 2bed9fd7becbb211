import { answeredBy } from "../base/answered-by.ts";
import { sleepFor } from "../base/clock.port.ts";
import { counted } from "../base/counted.ts";
import { faultOf } from "../base/fault.ts";
import { nodeName } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import { sideBySide } from "../base/side-by-side.ts";
import { earliest, type Instant, later, minutes, never, seconds } from "../base/time.ts";
import type { Budget } from "../drain/budget.ts";
import { isMarkedFor } from "../drain/cause.ts";
import type { DrainSettings } from "../drain/drain-policy.ts";
import type { HeldPod } from "../drain/held-by-budget.ts";
import { markedAtAnnotation, tryWrittenAt } from "../drain/marking.ts";
import { placeWords } from "../drain/place-words.ts";
import { mostClaims, podTitle } from "../drain/pod.ts";
import { shortOf } from "../drain/resources.ts";
import { Rooms } from "../drain/rooms.flow.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import type { Note } from "../notice/outcome.ts";
import { KnownSurges } from "./known-surges.ts";
import type { RoomNodes, RoomPorts, Workloads } from "./making-room.port.ts";
import { isOurs, nextRoomStep } from "./next-room-step.ts";
import { recordAnnotation, recordAt, recordLabel, surgeAt } from "./record.ts";
import { hasLetGo } from "./recount.ts";
import { controllerRefusal, nothing, type RoomState, refused, tryOff } from "./room-refusal.ts";
import { displacedOf, isOn, type RoomScene, waiting } from "./room-scene.ts";
import { type RoomStep, type RoomWrite, type SetDeletionCost, surged } from "./room-step.ts";
import { type Replica, type RoomRef, type Workload, workloadTitle } from "./workload.ts";

/** The need, the nodes, the settings and the ports with which workloads are examined. */
export interface SurgeContext
  extends Pick<RoomNodes, "hosts">,
    Pick<RoomScene, "draining" | "need" | "settings"> {
  readonly workloads: Workloads;
  readonly known: Pick<KnownSurges, "began" | "ended" | "rests">;
  readonly ports: Pick<RoomPorts, "clock" | "journal">;
}

/** Reads the context of a surge. A `need` of `none` only puts raised replicas back. */
export async function surgeContextOf(
  need: SurgeContext["need"],
  settings: DrainSettings,
  ports: RoomPorts,
  known: SurgeContext["known"] = new KnownSurges(),
): Promise<SurgeContext> {
  const { cordoned, hosts } = await ports.cluster.nodes();
  // Not those that are only cordoned because they are at risk.
  const marked = cordoned.filter(
    (node) => markedAtAnnotation in node.annotations && !isMarkedFor("at-risk", node),
  );
  // The drain's own node is missing here if it is gone, or is uncordoned and may get the new pod itself.
  const draining = new Map(
    marked.map((node) => [node.name, tryWrittenAt(node, markedAtAnnotation) ?? never]),
  );
  const workloads = await ports.cluster.workloads();
  return { need, settings, draining, hosts, workloads, known, ports };
}

/** The workload that may make room for a pod, or why none does. */
export async function candidateFor(
  { pod, budgets }: HeldPod,
  { makeRoom }: DrainSettings,
  workloads: Workloads,
): Promise<RoomState | Workload> {
  if (budgets.length > 1) return refused("several budgets select it");
  const maker = await workloads.ownerOf(pod);
  if (typeof maker === "string") return controllerRefusal(maker);
  return tryOff(makeRoom, await workloads.namespaceWishes(pod.namespace), maker) ?? maker;
}

type Taken = Exclude<RoomStep, { readonly kind: "surge" }>;

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
 * Reads what a workload's next step needs, and chooses the step. A workload whose new pods would find no node is not
 * surged.
 */
export async function consider(
  scene: RoomScene,
  workloads: Pick<Workloads, "asked" | "hosts" | "othersUnder" | "volumesOf">,
): Promise<Taken> {
  const step = nextRoomStep(scene);
  if (step.kind !== "surge") return step;
  if (scene.workload.claims.length > mostClaims)
    return refused(`it has more than ${mostClaims} volume claims`);
  const shared = await tryShared(step.budgets, scene.workload, workloads);
  if (shared !== undefined) return shared;
  const volumes = await workloads.volumesOf(scene.workload);
  const alone = volumes.find(({ modes }) => !modes.some((mode) => manyNodes.includes(mode)));
  if (alone !== undefined)
    return refused(
      `its volume claim ${alone.claim} is ${alone.modes.join(", ") || "absent"}, so a second pod could not use it on another node`,
    );
  const demands = volumes.flatMap((volume) => volume.demands);
  const pods = step.pods.map((one) => ({ ...one, demands: [...one.demands, ...demands] }));
  const { found, unread, why } = await placesFor(pods, scene, workloads);
  if (found === 0) return { kind: "full", why };
  const not = unread === 0 ? "" : `; ${counted(unread, "node")} not looked at`;
  const record = { ...step.record, why: step.record.why + not };
  return surged(scene.workload, { ...record, is: record.was + found });
}

/**
 * Why no pod more is made under budgets that also select pods of others, or where nobody knows: it might let one of those
 * go, and the way back would then leave one too few.
 */
async function tryShared(
  budgets: readonly Budget[],
  workload: Workload,
  workloads: Pick<Workloads, "othersUnder">,
): Promise<RoomState | undefined> {
  for (const budget of budgets) {
    const others = await workloads.othersUnder(budget, workload);
    if (typeof others === "string") return refused(others);
    const [first] = others;
    if (first !== undefined)
      return { ...refused("its budget also selects pods of others"), example: podTitle(first) };
  }
  return undefined;
}

// Pods on several nodes can use such a volume.
const manyNodes = ["ReadWriteMany", "ReadOnlyMany"];

/** The number of pods that find another node, as far as nodes are known. */
interface PlacesFound {
  readonly found: number;
  /** The number of nodes that were not looked at, and count as full. */
  readonly unread: number;
  /** The reason if no pod finds one. */
  readonly why: string;
}

async function placesFor(
  pods: readonly Replica[],
  { replicas, draining }: Pick<RoomScene, "draining" | "replicas">,
  workloads: Pick<Workloads, "asked" | "hosts">,
): Promise<PlacesFound> {
  const hosts = await workloads.hosts();
  const labels = new Map(hosts.map(({ node }) => [node.name, node.labels]));
  const reschedulablePods = pods.map((one): Replica => {
    const apart = one.apart.map(({ from, label: key }) => {
      const all = replicas.flatMap(({ pod }) => labels.get(pod.node)?.[key] ?? []);
      const values = [...new Set(all)];
      return { from, anyOf: [{ labels: [{ key, operator: "NotIn", values }], fields: [] }] };
    });
    return { ...one, demands: [...one.demands, ...apart] };
  });
  const leaving = new Set(draining.keys());
  const staying = hosts.filter(({ node }) => !leaving.has(node.name));
  const looked = await new Rooms(staying, workloads).placesFor(reschedulablePods, leaving);
  const { places, unread } = looked;
  const placed = [...places.of(reschedulablePods, leaving).values()];
  const found = placed.filter(({ kind }) => kind === "place").length;
  const [first] = placed;
  if (found === 0 && first !== undefined) return { found, unread, why: placeWords(first) };
  // The new pods keep apart from each other too.
  const most = reschedulablePods
    .filter(({ apart }) => apart.length > 0)
    .map((one) => {
      const { rooms } = places.suitable(one);
      return rooms.filter(({ free }) => shortOf(one.requests, free).length === 0).length;
    });
  return { found: Math.min(found, ...most), unread, why: "" };
}

/**
 * The nodes that pods have to leave: those being drained, and those that are gone before their drains. Pods of the latter
 * look ready until they are removed, and the room made for them has to stay until then.
 */
async function leavingIn(
  scene: RoomScene,
  { hosts }: Pick<RoomNodes, "hosts">,
): Promise<RoomScene["draining"]> {
  const { workload, replicas, draining, now } = scene;
  const isSurged = surgeAt(now, workload.annotations) !== undefined;
  if (!isSurged || !isOn(scene) || displacedOf(scene).length > 0) return draining;
  const there = new Set((await hosts()).map(({ node }) => node.name));
  const gone = replicas
    .map(({ pod }) => pod.node)
    .filter((name) => name !== "" && !there.has(name) && !draining.has(name));
  return new Map([...draining, ...gone.map((name) => [name, never] as const)]);
}

// A namespace with slow objects takes no time from the others.
const longestReconcile = seconds(10);

// A surge needs fewer, unless others keep making its pods.
const mostSteps = 50;

/** Takes the steps of a workload until one has to wait, for ten seconds at most. Keeps no state: the next look finds what is left to do. */
export async function reconcileSurge(found: Workload, context: SurgeContext): Promise<RoomState> {
  const { workloads, ports } = context;
  const ends = later(ports.clock.now(), longestReconcile);
  const namespace = await workloads.namespaceWishes(found.namespace);
  const written: string[] = [];
  let workload: Workload | "gone" = found;
  for (let steps = 0; workload !== "gone" && steps < mostSteps; steps += 1) {
    const taken = await takeStep(workload, { ...context, namespace, written });
    if (taken.kind !== "goes on") return taken;
    if (ports.clock.now() >= ends) return { ...taken, kind: "awaited" };
    workload = await workloads.reload(workload);
  }
  return nothing;
}

/** One look at a workload. */
interface Look extends SurgeContext {
  readonly namespace: Labels;
  /** The UIDs of what it has written. */
  readonly written: string[];
}

/** Takes one step of a workload; `goes on` unless there is something to wait for. */
async function takeStep(
  workload: Workload,
  look: Look,
): Promise<RoomState | (Omit<RoomState, "kind"> & { readonly kind: "goes on" })> {
  const { workloads, ports, need } = look;
  const replicas = await workloads.replicasOf(workload);
  if (typeof replicas === "string") return refused(replicas);
  const scene = { ...look, workload, replicas, now: ports.clock.now() };
  const draining = await leavingIn(scene, look);
  const step = await considerNow({ ...scene, draining }, look);
  if ("why" in step) return step;
  const done = await workloads.write(step);
  if (done === "written") noteWritten(step, { ...scene, draining }, look);
  // Another drain may have written first. No later look follows if counts are only put back.
  const isOver = done === "written" ? endsLook(step, look) : need !== "none";
  return { ...waiting(scene), kind: isOver ? "awaited" : "goes on" };
}

/** Whether a step raises an autoscaler, which takes seconds to follow; others may take that back at once. */
const raisesScaler = (step: Taken): boolean =>
  step.kind === "write" && "min" in step.to && step.record !== "none";

/** Whether a look ends with what it has just written. Others may undo each write at once, so it writes nothing more than twice. */
function endsLook(step: RoomWrite | SetDeletionCost, { written }: Look): boolean {
  const { uid } = step.kind === "write" ? step.to : step.pod;
  const isAgain = written.includes(uid);
  written.push(uid);
  return isAgain || raisesScaler(step);
}

/** Records a step, and remembers a surge that begins or ends by it: others may change its record before the next look. */
function noteWritten(step: RoomWrite | SetDeletionCost, scene: RoomScene, look: Look): void {
  const { workload } = scene;
  tell(step.change, workload, look);
  if (step.kind === "write" && step.to.uid === workload.uid) remember(step, scene, look);
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

/** The workloads with records, after their counts were put back. */
interface GivenBack {
  /** The workloads that had one. */
  readonly noted: readonly Workload[];
  /** The workloads that could not be looked at or put back, with reasons. */
  readonly skipped: readonly Note[];
}

const namespacesAtOnce = 10;
// Writes of a few namespaces may hang for half a minute each.
const longestTurn = seconds(15);
const longestPutBack = minutes(1);

/**
 * Puts back all replicas that are no longer needed, until a moment: each namespace by itself, for one tenant must not stop the
 * others. Each time another one is the first.
 */
async function giveBack(context: SurgeContext, until: Instant): Promise<GivenBack> {
  const { records, skipped } = await context.workloads.records();
  const spaces = [...Map.groupBy(records, ({ namespace }) => namespace)];
  const first = context.ports.clock.now() % Math.max(1, spaces.length);
  const inTurn = [...spaces.slice(first), ...spaces.slice(0, first)];
  const given = await sideBySide(inTurn, namespacesAtOnce, ([namespace, some]) =>
    giveBackIn(namespace, some, until, context),
  );
  return {
    noted: given.flatMap((one) => one.noted),
    skipped: [...skipped, ...given.flatMap((one) => one.skipped)],
  };
}

/** Puts back the counts of one namespace, for a short while at most. */
async function giveBackIn(
  namespace: string,
  records: readonly RoomRef[],
  until: Instant,
  context: SurgeContext,
): Promise<GivenBack> {
  const { clock } = context.ports;
  const now = clock.now();
  const ends = earliest(until, later(now, longestTurn));
  const given =
    now < until ? await answeredBy(ends, giveBackBy(records, context), clock) : "unanswered";
  if (given !== "unanswered") return given;
  return { noted: [], skipped: [{ about: `namespace ${namespace}`, why: noTime }] };
}

const noTime = "no time was left";

/** Puts back the counts that the records of one namespace name. */
async function giveBackBy(records: readonly RoomRef[], context: SurgeContext): Promise<GivenBack> {
  const { workloads, skipped } = await context.workloads.recordedBy(records);
  const noted = workloads.filter((one) => isNoted(one, context.ports.clock.now()));
  return { noted, skipped: [...skipped, ...(await giveBackOneByOne(noted, context))] };
}

/** Whether a workload has a record that reads as ours, or its autoscaler has one. Anybody in a namespace may write anything else there. */
const isNoted = (workload: Workload, now: Instant): boolean =>
  isOurs(workload) &&
  [workload, ...workload.scalers].some((one) => recordAt(now, one.annotations) !== undefined);

async function giveBackOneByOne(
  some: readonly Workload[],
  context: SurgeContext,
): Promise<readonly Note[]> {
  const { clock } = context.ports;
  const ends = later(clock.now(), longestReconcile);
  const skipped: Note[] = [];
  for (const workload of some)
    if (clock.now() >= ends) skipped.push({ about: titleIn(workload), why: noTime });
    else {
      const { kind, why } = await reconcileSurge(workload, context).catch(asRefusal);
      if (kind === "refused") skipped.push({ about: titleIn(workload), why });
    }
  return skipped;
}

const asRefusal = (cause: unknown): RoomState => refused(faultOf(cause).message);

const titleIn = (workload: Workload): string => `${workload.namespace}/${workloadTitle(workload)}`;

/**
 * Puts back all counts that any process has raised for a drain that no longer needs them, and returns what it could not
 * read.
 */
export async function putRoomBack(
  settings: DrainSettings,
  ports: RoomPorts,
): Promise<readonly Note[]> {
  if (settings.makeRoom === "off") return [];
  try {
    const until = later(ports.clock.now(), longestPutBack);
    const { skipped } = await giveBack(await surgeContextOf("none", settings, ports), until);
    return someNotes(skipped);
  } catch (cause) {
    ports.journal.record(faultEntry(cause));
    return [{ about: "", why: faultOf(cause).message }];
  }
}

const mostNotes = 5;

const [longestAbout, longestWhy] = [120, 200];

/** The first notes, and how many more there are: a log line has room for few, and others may have made them long. */
const someNotes = (all: readonly Note[]): readonly Note[] =>
  someOfNotes(
    all.map(({ about, why }) => ({
      about: about.slice(0, longestAbout),
      why: why.slice(0, longestWhy),
    })),
  );

const someOfNotes = (notes: readonly Note[]): readonly Note[] =>
  notes.length <= mostNotes
    ? notes
    : [...notes.slice(0, mostNotes), { about: "", why: `and ${notes.length - mostNotes} more` }];

const mostLooks = 12;
const restBetweenLooks = seconds(5);

/**
 * Puts back all raised replicas, whatever drains are under way, because the right to do so is about to be removed. It ends
 * within two minutes, and returns what is left: an editor of a workload can keep a record there for ever.
 */
export async function giveAllBack(context: SurgeContext): Promise<readonly Note[]> {
  const { clock } = context.ports;
  const ends = later(clock.now(), longestPutBack);
  for (let looks = 1; ; looks += 1) {
    const { noted, skipped } = await giveBack(context, later(ends, longestTurn));
    const named = new Set(skipped.map(({ about }) => about));
    const raised = noted.map(titleIn).filter((title) => !named.has(title));
    const left = [...skipped, ...raised.map((about) => ({ about, why: stillRaised }))];
    if (left.length === 0 || looks > mostLooks || clock.now() >= ends) return someNotes(left);
    await sleepFor(restBetweenLooks, clock);
  }
}

const stillRaised = `its count may still be raised; put it and its autoscaler back, and remove the annotation ${recordAnnotation} and the label ${recordLabel}`;
