import { Bell } from "../bell.ts";
import type { Volumes } from "../domain/detachment.ts";
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
import { faultEntry } from "./fault-entry.ts";
import type { HookKeeper } from "./hook-keeper.ts";
import { type NodeState, nodeKeeperOf } from "./node-keeper.ts";
import { orphanedDaemonSets } from "./orphaned-daemon-sets.ts";
import { type PodStory, podStoryOf } from "./pod-story.ts";
import { type VolumeWatch, volumeWatchOf } from "./volume-watch.ts";

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
  const bell = new Bell();
  const view = await ports.cluster.follow(emptying.node.name, bell);
  const { volumeTimeout: timeout } = emptying.settings;
  const volumes = volumeWatchOf({ ...emptying, timeout }, bell, ports);
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
    const tools = {
      emptying,
      ports,
      bell,
      view,
      volumes,
      evictions,
      story,
      scene,
      look,
      heartbeat,
    };
    return emptiedBy(await loop(tools), tools);
  } finally {
    view.close();
    volumes.close();
  }
}

interface Tools {
  readonly emptying: Emptying;
  readonly ports: Ports;
  readonly bell: Bell;
  readonly view: DrainView;
  readonly volumes: VolumeWatch;
  readonly evictions: Evictions;
  readonly story: PodStory;
  readonly look: Beside<NodeState>;
  readonly heartbeat: Beside<"kept" | "no-active-action">;
  readonly scene: () => Scene;
}

function emptiedBy(kind: Halt, tools: Tools): Emptied {
  const snapshot = snapshotOf(tools);
  const holding = snapshot.pods.filter((pod) => holdsNode(pod, snapshot));
  const attached = snapshot.volumes.kind === "read" ? snapshot.volumes.attached : [];
  return {
    kind,
    left: holdReasons(holding, snapshot),
    stuck: holdReasons(
      snapshot.pods.filter((pod) => standingOf(pod, snapshot) === "stuck"),
      snapshot,
    ),
    attached,
    progressed: holding.length === 0 || tools.evictions.progressed() || tools.story.progressed(),
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

const snapshotOf = (tools: Tools): Snapshot => ({
  ...tools.scene(),
  deadline: tools.emptying.deadline,
  listed: tools.view.listed(),
  pods: tools.view.pods(),
  budgets: tools.view.budgets(),
  ledger: tools.evictions.ledger(),
  volumes: volumesNow(tools),
});

const volumesNow = (tools: Tools): Volumes =>
  tools.emptying.when === "before" || tools.story.hadVolumes()
    ? tools.volumes.volumes(() => remaining(tools))
    : { kind: "none" };

/** The pods whose volumes remain with them: those that stay to the node's end, and those that have not gone. */
function remaining({ view, scene }: Tools): readonly Pod[] {
  const now = scene();
  return view.pods().filter((pod) => staysWithNode(pod, now) || holdsNode(pod, now));
}

async function act(step: Step, tools: Tools): Promise<Halt | "go on"> {
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

/** Pods that have not gone by the deadline are told of, whatever the API server says to volumes. */
async function readVolumes(tools: Tools): Promise<void> {
  try {
    await tools.volumes.read(remaining(tools));
  } catch (cause) {
    const { pods, now, deadline, ...scene } = snapshotOf(tools);
    if (now < deadline || !pods.some((pod) => holdsNode(pod, { now, ...scene }))) throw cause;
    tools.ports.journal.record(faultEntry(cause));
    tools.volumes.forgo();
  }
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
