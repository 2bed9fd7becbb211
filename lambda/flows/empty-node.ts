import { Bell } from "../bell.ts";
import { underWay } from "../domain/ledger.ts";
import { nextStep, type Step } from "../domain/next-step.ts";
import type { Node } from "../domain/node.ts";
import { podTitle } from "../domain/pod.ts";
import { holdsNode } from "../domain/pod-class.ts";
import { earliest, type Instant } from "../domain/time.ts";
import type { PodsOfNode, Ports } from "../ports.ts";
import { type Evictions, evictionsOf } from "./evictions.ts";
import type { HookKeeper } from "./hook-keeper.ts";
import { type PodStory, podStoryOf } from "./pod-story.ts";

/** A marked node to be emptied in this pass. */
export interface Emptying {
  readonly node: Node;
  readonly keeper: HookKeeper;
  readonly settled: Instant;
  readonly deadline: Instant;
  /** When this pass stops evicting and hands the notice back. */
  readonly passEnds: Instant;
}

/** How far a pass came; `left` names the pods that still hold the node. */
export interface Emptied {
  readonly kind: Halt;
  readonly left: readonly string[];
  /** Whether a pod left, or started to. */
  readonly progressed: boolean;
}

/** Evicts the pods of a node and waits for them to go, for as long as this pass may. */
export async function emptyNode(emptying: Emptying, ports: Ports): Promise<Emptied> {
  const bell = new Bell();
  const pods = await ports.cluster.follow(emptying.node.name, bell);
  const evictions = evictionsOf(ports, bell);
  const story = podStoryOf(emptying.node, pods.now(), ports.journal);
  try {
    const kind = await loop(emptying, { ports, bell, pods, evictions, story });
    const left = pods.now().filter(holdsNode).map(podTitle);
    return { kind, left, progressed: evictions.progressed() || story.progressed() };
  } finally {
    pods.close();
  }
}

interface Tools {
  readonly ports: Ports;
  readonly bell: Bell;
  readonly pods: PodsOfNode;
  readonly evictions: Evictions;
  readonly story: PodStory;
}

type Halt = "drained" | "expired" | "unfinished" | "released-elsewhere";

/** A snapshot becomes a step, the step is done, the world is waited for. */
async function loop(emptying: Emptying, tools: Tools): Promise<Halt> {
  for (;;) {
    tools.bell.heard();
    tools.story.tell(tools.pods.now());
    const halt = await act(stepOf(emptying, tools), emptying, tools);
    if (halt !== "go on") return halt;
  }
}

async function act(step: Step, emptying: Emptying, tools: Tools): Promise<Halt | "go on"> {
  if (step.kind === "finish") return step.outcome;
  if (step.kind === "evict") return evict(step, emptying, tools);
  await tools.pods.list();
  return "go on";
}

function stepOf({ settled, deadline }: Emptying, { ports, pods, evictions }: Tools): Step {
  const now = ports.clock.now();
  const ledger = evictions.ledger();
  return nextStep({ now, deadline, settled, listed: pods.listed(), pods: pods.now(), ledger });
}

type Evict = Extract<Step, { readonly kind: "evict" }>;

/** Starts what may be started, then waits; a pass that is over only waits for its last answers. */
async function evict(step: Evict, emptying: Emptying, tools: Tools): Promise<Halt | "go on"> {
  const { keeper, deadline, passEnds } = emptying;
  const { ports, bell, evictions } = tools;
  const over = ports.clock.now() >= passEnds;
  if (over && underWay(evictions.ledger()) === 0) return "unfinished";
  if (!over) evictions.start(step.pods);
  if ((await keeper.keep()) === "no-active-action") return "released-elsewhere";
  await ports.clock.sleep(earliest(step.look, over ? deadline : passEnds, keeper.due()), bell);
  return "go on";
}
