import { Bell } from "../bell.ts";
import type { DrainSettings } from "../domain/drain-policy.ts";
import { underWay } from "../domain/ledger.ts";
import { nextStep, type Snapshot, type Step } from "../domain/next-step.ts";
import type { Node } from "../domain/node.ts";
import type { Pod } from "../domain/pod.ts";
import { holdsNode, type Scene } from "../domain/pod-class.ts";
import { earliest, type Instant } from "../domain/time.ts";
import type { DrainView, Ports } from "../ports.ts";
import { type Evictions, evictionsOf } from "./evictions.ts";
import type { HookKeeper } from "./hook-keeper.ts";
import { orphanedDaemonSets } from "./orphaned-daemon-sets.ts";
import { type PodStory, podStoryOf } from "./pod-story.ts";

/** A marked node to be emptied in this pass. */
export interface Emptying {
  readonly node: Node;
  /** When it was marked. */
  readonly marked: Instant;
  readonly settings: DrainSettings;
  readonly keeper: HookKeeper;
  readonly deadline: Instant;
  /** When this pass stops evicting and hands the notice back. */
  readonly passEnds: Instant;
}

type Halt = "drained" | "expired" | "unfinished" | "released-elsewhere";

/** How far a pass came. */
export interface Emptied {
  readonly kind: Halt;
  /** The pods that still hold the node. */
  readonly left: readonly Pod[];
  /** Whether a pod left, or started to. */
  readonly progressed: boolean;
}

/** Evicts the pods of a node and waits for them to go, for as long as this pass may. */
export async function emptyNode(emptying: Emptying, ports: Ports): Promise<Emptied> {
  const bell = new Bell();
  const view = await ports.cluster.follow(emptying.node.name, bell);
  try {
    const orphaned = await orphanedDaemonSets(view.pods(), ports);
    const evictions = evictionsOf(ports, bell, emptying.settings.concurrency);
    const scene = (): Scene => ({ ...emptying, now: ports.clock.now(), orphaned });
    const story = podStoryOf(view.pods(), scene(), ports.journal);
    const kind = await loop({ emptying, ports, bell, view, evictions, story, scene });
    const left = view.pods().filter((pod) => holdsNode(pod, scene()));
    return { kind, left, progressed: evictions.progressed() || story.progressed() };
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
  readonly scene: () => Scene;
}

/** A snapshot becomes a step, the step is done, the world is waited for. */
async function loop(tools: Tools): Promise<Halt> {
  for (;;) {
    tools.bell.heard();
    tools.story.tell(tools.view.pods());
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

type Ask = Extract<Step, { readonly kind: "ask" }>;

/** Starts what may be started, then waits; a pass that is over only waits for its last answers. */
async function ask(
  step: Ask,
  { emptying, ports, bell, evictions }: Tools,
): Promise<Halt | "go on"> {
  const { keeper, deadline, passEnds } = emptying;
  const over = ports.clock.now() >= passEnds;
  if (over && underWay(evictions.ledger()) === 0) return "unfinished";
  if (!over) evictions.start(step.askings);
  if ((await keeper.keep()) === "no-active-action") return "released-elsewhere";
  await ports.clock.sleep(earliest(step.look, over ? deadline : passEnds, keeper.due()), bell);
  return "go on";
}
