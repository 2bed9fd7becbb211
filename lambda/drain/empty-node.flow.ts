import { earliest, type Instant, later, seconds } from "../base/time.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import type { Note } from "../notice/outcome.ts";
import type { DrainPorts } from "./drain.port.ts";
import { type DrainTools, drainToolsOf, remaining, snapshotOf } from "./drain-tools.flow.ts";
import type { Emptying } from "./emptying.flow.ts";
import { heldByBudget } from "./held-by-budget.ts";
import { holdNotes, holdReasons, limited, reasonsIn } from "./hold-reason.ts";
import { underWay } from "./ledger.ts";
import { nextStep } from "./next-step.ts";
import type { NodeState } from "./node-watch.flow.ts";
import { cleanUp, isOverdue, nextForce } from "./overdue.ts";
import type { PodNote } from "./pod.ts";
import { holdsNode, podClassOf } from "./pod-class.ts";
import { refusedEvictions } from "./refused-evictions.ts";
import type { PodRequest, Snapshot, Step } from "./snapshot.ts";
import { passEnd } from "./standstill.ts";

type Halt =
  | "drained"
  | "expired"
  | "unfinished"
  | "released-elsewhere"
  | Exclude<NodeState, "kept">;

/** How a node looks at the end of a pass. */
export interface Emptied {
  readonly kind: Halt;
  /** The pods that still hold the node. */
  readonly left: readonly Note[];
  /** The pods that should have ended long ago, so that the drain no longer waits for them. */
  readonly stuck: readonly Note[];
  /** The first 100 of them, for programs. */
  readonly stuckPods: readonly PodNote[];
  /** The volumes that are still attached though their pods have left. */
  readonly attached: readonly string[];
  /** The load balancers that have not let the instance go. */
  readonly targets: readonly Note[];
  /** The pods that this pass has deleted past a budget or a protection, one line each. */
  readonly forced: readonly string[];
  /** Whether a pod left or started to leave, or no pod holds the node. */
  readonly progressed: boolean;
  /** The time after which the grace of some pod that holds the node no longer fits before the deadline. */
  readonly nextForce: Instant;
  readonly deadline: Instant;
  /** When a pass began that was too late for the drain's deadline; `never` if each was in time. */
  readonly late: Instant;
}

/** Evicts the pods of a node, waits for them to go, and then for their volumes, for as long as this pass may. */
export async function emptyNode(emptying: Emptying, ports: DrainPorts): Promise<Emptied> {
  const tools = await drainToolsOf(emptying, ports);
  try {
    const kind = await loop(tools);
    if (kind === "unfinished" && !hasProgressed(tools)) warnOfRefusals(tools);
    return emptiedOf(kind, tools);
  } finally {
    tools.close();
  }
}

/** Warns of evictions that are refused on every pass, long before the deadline says so. */
function warnOfRefusals(tools: DrainTools): void {
  const warnings = limited(refusedEvictions(snapshotOf(tools)));
  if (warnings.length === 0) return;
  tools.ports.journal.record({ kind: "warning", about: "refused evictions", warnings });
}

function emptiedOf(kind: Halt, tools: DrainTools): Emptied {
  const snapshot = snapshotOf(tools);
  const holding = snapshot.pods.filter((pod) => holdsNode(pod, snapshot));
  const stuck = snapshot.pods.filter((pod) => podClassOf(pod, snapshot) === "stuck");
  const stuckPods = holdNotes(stuck, snapshot);
  const attached = snapshot.volumes.kind === "read" ? snapshot.volumes.attached : [];
  return {
    kind,
    left: holdReasons(holding, snapshot),
    stuck: reasonsIn(stuckPods, stuck.length),
    stuckPods,
    attached,
    targets: tools.balancers.left(),
    forced: limited(tools.evictions.forced()),
    progressed: holding.length === 0 || hasProgressed(tools),
    nextForce: nextForce(holding, snapshot),
    deadline: snapshot.deadline,
    late: tools.late,
  };
}

/** Turns a snapshot into a step and takes the step, again and again; a step may wait for a change. */
async function loop(tools: DrainTools): Promise<Halt> {
  for (;;) {
    tools.bell.heard();
    tools.story.tell(tools.view);
    tools.sight.look(tools.view.pods(), tools.scene());
    const snapshot = snapshotOf(tools);
    tools.budgets.tell(snapshot);
    tools.room.note(heldByBudget(snapshot), snapshot);
    const step = nextStep(snapshot);
    const passEnds = passEndAfter(step, snapshot, tools);
    const halt = await act(tools.balancers.held(step), { ...tools, passEnds, snapshot });
    if (halt !== "go on") return halt;
  }
}

const hasProgressed = ({ evictions, room, story }: DrainTools): boolean =>
  evictions.progressed() || story.progressed() || room.isBusy();

/** The tools, what the step is made of, and when this pass ends as things are now. */
type Timed = DrainTools & { readonly passEnds: Instant; readonly snapshot: Snapshot };

/** When this pass ends: soon where nothing moves and nothing is to be requested, and not in its last moment, for another pass would be late. */
function passEndAfter(step: Step, snapshot: Snapshot, tools: DrainTools): Instant {
  const { emptying, began } = tools;
  const { passEnds: ends } = emptying;
  if (snapshot.now >= snapshot.triesUntil) return later(ends, cleanUp);
  const isIdle = step.kind === "ask" && step.requests.length === 0;
  return isIdle && !hasProgressed(tools) ? passEnd(snapshot, { began, ends }) : ends;
}

async function act(step: Step, tools: Timed): Promise<Halt | "go on"> {
  switch (step.kind) {
    case "finish":
      return step.outcome;
    case "ask":
      return ask(step, tools);
    case "list":
      await tools.view.list();
      return "go on";
    case "read volumes":
      await readVolumes(tools);
      return "go on";
  }
}

/** After the deadline the drain does not wait for volumes that it cannot read, so the outcome is about the pods. */
async function readVolumes(tools: DrainTools): Promise<void> {
  const { bounds, ports, volumes } = tools;
  try {
    await volumes.read(remaining(tools));
  } catch (cause) {
    if (ports.clock.now() < bounds().deadline) throw cause;
    ports.journal.record(faultEntry(cause));
    volumes.forgo();
  }
}

// A little longer than an eviction may take; the function's timeout leaves room for it.
const lastAnswers = seconds(42);

type Ask = Extract<Step, { readonly kind: "ask" }>;

/** Starts what may be started, then waits. A pass that is over only waits for its last answers. */
async function ask(step: Ask, tools: Timed): Promise<Halt | "go on"> {
  const { passEnds, ports, evictions } = tools;
  const now = ports.clock.now();
  const over = now >= passEnds;
  const ends = over ? later(passEnds, lastAnswers) : passEnds;
  if (over && (underWay(evictions.ledger()) === 0 || now >= ends)) return "unfinished";
  evictions.start(over || !mayEvict(step, tools) ? urgentIn(step, tools) : step.requests);
  const state = checked(tools);
  if (state !== "kept") return state;
  await rest(earliest(step.recheck, ends), tools);
  return "go on";
}

/** Whether this process may send all of these requests; if not, it asks for its turn. */
const mayEvict = ({ requests }: Ask, { looks, snapshot }: Timed): boolean =>
  requests.every((request) => isUrgent(request, snapshot)) || looks.mayEvict();

/** The requests that wait neither for a turn nor for the next pass. */
const urgentIn = ({ requests }: Ask, { snapshot }: Timed): readonly PodRequest[] =>
  requests.filter((request) => isUrgent(request, snapshot));

/** Whether a request waits for no other pod and for no other process: a deletion, or the eviction of a pod that is out of time. */
const isUrgent = ({ verb, pod }: PodRequest, snapshot: Snapshot): boolean =>
  verb === "delete" || isOverdue(pod, snapshot);

/** Returns what the last checks of the hook and the node found, and starts new checks when they are due. */
function checked({ heartbeat, nodeCheck, balancerCheck, roomCheck }: DrainTools): Halt | "kept" {
  if (heartbeat.take() === "no-active-action") return "released-elsewhere";
  const state = nodeCheck.take() ?? "kept";
  if (state !== "kept") return state;
  heartbeat.start();
  nodeCheck.start();
  balancerCheck.start();
  roomCheck.start();
  return "kept";
}

/** Waits until something changes, or something is due. */
async function rest(until: Instant, tools: DrainTools): Promise<void> {
  const { ports, bell, heartbeat, nodeCheck, balancerCheck, roomCheck } = tools;
  const due = earliest(heartbeat.due(), nodeCheck.due(), balancerCheck.due(), roomCheck.due());
  await ports.clock.sleep(earliest(until, due), bell);
}
