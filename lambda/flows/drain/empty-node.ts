import { holdReasons } from "../../domain/drain/hold-reason.ts";
import { underWay } from "../../domain/drain/ledger.ts";
import { nextStep } from "../../domain/drain/next-step.ts";
import { nextForce } from "../../domain/drain/overdue.ts";
import { holdsNode, podClassOf } from "../../domain/drain/pod-class.ts";
import type { Step } from "../../domain/drain/snapshot.ts";
import { earliest, type Instant, later, seconds } from "../../domain/time.ts";
import type { Ports } from "../../ports/ports.ts";
import { faultEntry } from "../fault-entry.ts";
import type { NodeState } from "../mark/node-watch.ts";
import { type DrainTools, drainToolsOf, remaining, snapshotOf } from "./drain-tools.ts";
import type { Emptying } from "./emptying.ts";

type Halt =
  | "drained"
  | "expired"
  | "unfinished"
  | "released-elsewhere"
  | Exclude<NodeState, "kept">;

/** How far a pass came. */
export interface Emptied {
  readonly kind: Halt;
  /** Why each pod that still holds the node does so, a line each. */
  readonly left: readonly string[];
  /** The pods that should long have ended and are waited for no more, a line each. */
  readonly stuck: readonly string[];
  /** The volumes of pods that left which are still attached. */
  readonly attached: readonly string[];
  /** Whether a pod left, or started to, or none is there. */
  readonly progressed: boolean;
  /** When the grace of a pod that holds the node no longer fits before the deadline. */
  readonly nextForce: Instant;
}

/** Evicts the pods of a node, waits for them to go, and then for their volumes, for as long as this pass may. */
export async function emptyNode(emptying: Emptying, ports: Ports): Promise<Emptied> {
  const tools = await drainToolsOf(emptying, ports);
  try {
    return emptiedBy(await loop(tools), tools);
  } finally {
    tools.close();
  }
}

function emptiedBy(kind: Halt, tools: DrainTools): Emptied {
  const snapshot = snapshotOf(tools);
  const holding = snapshot.pods.filter((pod) => holdsNode(pod, snapshot));
  const attached = snapshot.volumes.kind === "read" ? snapshot.volumes.attached : [];
  return {
    kind,
    left: holdReasons(holding, snapshot),
    stuck: holdReasons(
      snapshot.pods.filter((pod) => podClassOf(pod, snapshot) === "stuck"),
      snapshot,
    ),
    attached,
    progressed: holding.length === 0 || tools.evictions.progressed() || tools.story.progressed(),
    nextForce: nextForce(holding, snapshot),
  };
}

/** A snapshot becomes a step, the step is done, the world is waited for. */
async function loop(tools: DrainTools): Promise<Halt> {
  for (;;) {
    tools.bell.heard();
    tools.story.tell(tools.view);
    const halt = await act(nextStep(snapshotOf(tools)), tools);
    if (halt !== "go on") return halt;
  }
}

async function act(step: Step, tools: DrainTools): Promise<Halt | "go on"> {
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

/** After the deadline nobody is held for volumes that cannot be read: what became of the pods is told all the same. */
async function readVolumes(tools: DrainTools): Promise<void> {
  const { emptying, ports, volumes } = tools;
  try {
    await volumes.read(remaining(tools));
  } catch (cause) {
    if (ports.clock.now() < emptying.bounds.deadline) throw cause;
    ports.journal.record(faultEntry(cause));
    volumes.forgo();
  }
}

// As long as an eviction may take, and a moment: the function's timeout leaves room for it.
const lastAnswers = seconds(42);

type Ask = Extract<Step, { readonly kind: "ask" }>;

/** Starts what may be started, then waits; a pass that is over only waits for its last answers. */
async function ask(step: Ask, tools: DrainTools): Promise<Halt | "go on"> {
  const { emptying, ports, bell, evictions, nodeCheck, heartbeat } = tools;
  const { passEnds } = emptying;
  const now = ports.clock.now();
  const over = now >= passEnds;
  if (over && (underWay(evictions.ledger()) === 0 || now >= later(passEnds, lastAnswers)))
    return "unfinished";
  // What is out of time cannot wait for a request of another pod that hangs.
  evictions.start(over ? step.requests.filter(({ verb }) => verb === "delete") : step.requests);
  if (heartbeat.take() === "no-active-action") return "released-elsewhere";
  const state = nodeCheck.take() ?? "kept";
  if (state !== "kept") return state;
  heartbeat.start();
  nodeCheck.start();
  const ends = over ? later(passEnds, lastAnswers) : passEnds;
  await ports.clock.sleep(earliest(step.recheck, ends, heartbeat.due(), nodeCheck.due()), bell);
  return "go on";
}
