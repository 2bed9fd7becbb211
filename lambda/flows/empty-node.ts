import { Bell } from "../bell.ts";
import type { DrainSettings } from "../domain/drain-policy.ts";
import { holdReasons } from "../domain/hold-reason.ts";
import type { InstanceId } from "../domain/ids.ts";
import { underWay } from "../domain/ledger.ts";
import { nextStep, type Snapshot, type Step } from "../domain/next-step.ts";
import type { Node } from "../domain/node.ts";
import { nextForce } from "../domain/overdue.ts";
import type { Pod } from "../domain/pod.ts";
import { holdsNode, type Scene, standingOf, staysWithNode } from "../domain/pod-class.ts";
import { earliest, type Instant, later, seconds } from "../domain/time.ts";
import type { DrainView, Ports } from "../ports.ts";
import { type Beside, beside } from "./beside.ts";
import { type Evictions, evictionsOf } from "./evictions.ts";
import type { HookKeeper } from "./hook-keeper.ts";
import { type NodeState, nodeKeeperOf } from "./node-keeper.ts";
import { orphanedDaemonSets } from "./orphaned-daemon-sets.ts";
import { type PodStory, podStoryOf } from "./pod-story.ts";

/** A marked node to be emptied in this pass. */
export interface Emptying {
  readonly node: Node;
  readonly instance: InstanceId;
  /** Whether the node bears the mark, or could not be marked and is drained all the same. */
  readonly mark: "set" | "missing";
  /** When it was marked; without a mark the drain's begin. */
  readonly marked: Instant;
  /** `before` when pods may have left that this pass did not see. */
  readonly when: "just now" | "before";
  readonly settings: DrainSettings;
  readonly keeper: HookKeeper;
  readonly deadline: Instant;
  /** Until when the hook can be held: the time between the deadline and then is for volumes. */
  readonly holds: Instant;
  /** When this pass stops evicting and hands the notice back. */
  readonly passEnds: Instant;
}

type Halt =
  | "drained"
  | "expired"
  | "unfinished"
  | "released-elsewhere"
  | Exclude<NodeState, "kept">;

/** How far a pass came. */
export interface Emptied {
  readonly kind: Halt;
  /** The node as it was last seen. */
  readonly node: Node;
  /** Why each pod that still holds the node does so, a line each. */
  readonly left: readonly string[];
  /** The pods that should long have ended and are waited for no more, a line each. */
  readonly stuck: readonly string[];
  /** The pods that stay to the node's end. */
  readonly staying: readonly Pod[];
  /** Whether volumes of pods that left may still be attached. */
  readonly volumes: "none" | "possible";
  /** Whether a pod left, or started to. */
  readonly progressed: boolean;
  /** When the grace of a pod that holds the node no longer fits before the deadline. */
  readonly nextForce: Instant;
}

/** Evicts the pods of a node and waits for them to go, for as long as this pass may. */
export async function emptyNode(emptying: Emptying, ports: Ports): Promise<Emptied> {
  const bell = new Bell();
  const view = await ports.cluster.follow(emptying.node.name, bell);
  try {
    const orphaned = await orphanedDaemonSets(view.pods(), ports);
    const eye = nodeKeeperOf({ ...emptying, taints: emptying.settings.taints }, ports);
    const { keeper } = emptying;
    const look = beside({ due: eye.due, work: eye.look }, bell, ports.clock);
    const heartbeat = beside({ due: keeper.due, work: keeper.keep }, bell, ports.clock);
    const evictions = evictionsOf(ports, bell, emptying.settings.concurrency);
    const scene = (): Scene => ({
      ...emptying,
      node: eye.node(),
      now: ports.clock.now(),
      orphaned,
    });
    const story = podStoryOf(view, scene(), ports.journal);
    const tools = { emptying, ports, bell, view, evictions, story, scene, look, heartbeat };
    return emptiedBy(await loop(tools), tools);
  } finally {
    view.close();
  }
}

interface Tools {
  readonly emptying: Emptying;
  readonly ports: Ports;
  readonly bell: Bell;
  readonly view: DrainView;
  readonly evictions: Evictions;
  readonly story: PodStory;
  readonly look: Beside<NodeState>;
  readonly heartbeat: Beside<"kept" | "no-active-action">;
  readonly scene: () => Scene;
}

function emptiedBy(kind: Halt, tools: Tools): Emptied {
  const snapshot = snapshotOf(tools);
  const holding = snapshot.pods.filter((pod) => holdsNode(pod, snapshot));
  return {
    kind,
    node: snapshot.node,
    left: holdReasons(holding, snapshot),
    stuck: holdReasons(
      snapshot.pods.filter((pod) => standingOf(pod, snapshot) === "stuck"),
      snapshot,
    ),
    staying: snapshot.pods.filter((pod) => staysWithNode(pod, snapshot)),
    volumes: tools.emptying.when === "before" || tools.story.hadVolumes() ? "possible" : "none",
    progressed: tools.evictions.progressed() || tools.story.progressed(),
    nextForce: nextForce(holding, snapshot),
  };
}

/** A snapshot becomes a step, the step is done, the world is waited for. */
async function loop(tools: Tools): Promise<Halt> {
  for (;;) {
    tools.bell.heard();
    tools.story.tell(tools.view);
    const halt = await act(nextStep(snapshotOf(tools)), tools);
    if (halt !== "go on") return halt;
  }
}

const snapshotOf = ({ emptying, view, evictions, scene }: Tools): Snapshot => ({
  ...scene(),
  deadline: emptying.deadline,
  listed: view.listed(),
  pods: view.pods(),
  budgets: view.budgets(),
  ledger: evictions.ledger(),
});

async function act(step: Step, tools: Tools): Promise<Halt | "go on"> {
  if (step.kind === "finish") return step.outcome;
  if (step.kind === "ask") return ask(step, tools);
  await tools.view.list();
  return "go on";
}

// As long as an eviction may take, and a moment: the function's timeout leaves room for it.
const lastAnswers = seconds(42);

type Ask = Extract<Step, { readonly kind: "ask" }>;

/** Starts what may be started, then waits; a pass that is over only waits for its last answers. */
async function ask(step: Ask, tools: Tools): Promise<Halt | "go on"> {
  const { emptying, ports, bell, evictions, look, heartbeat } = tools;
  const { passEnds } = emptying;
  const now = ports.clock.now();
  const over = now >= passEnds;
  if (over && (underWay(evictions.ledger()) === 0 || now >= later(passEnds, lastAnswers)))
    return "unfinished";
  // What is out of time cannot wait for a request of another pod that hangs.
  evictions.start(over ? step.askings.filter(({ verb }) => verb === "delete") : step.askings);
  if (heartbeat.take() === "no-active-action") return "released-elsewhere";
  const state = look.take() ?? "kept";
  if (state !== "kept") return state;
  heartbeat.start();
  look.start();
  const ends = over ? later(passEnds, lastAnswers) : passEnds;
  await ports.clock.sleep(earliest(step.look, ends, heartbeat.due(), look.due()), bell);
  return "go on";
}
