import type { Clock } from "../base/clock.port.ts";
import type { PodUid } from "../base/ids.ts";
import { earliest, type Instant, instant, never } from "../base/time.ts";
import type { DrainView } from "./drain.port.ts";
import type { Emptying } from "./emptying.flow.ts";
import type { NodeState, NodeWatch } from "./node-watch.flow.ts";
import type { Pod } from "./pod.ts";
import type { Scene } from "./pod-class.ts";
import { isNewcomer } from "./turn.ts";

/** What the looks at a node need. */
export interface LookTools {
  readonly watch: NodeWatch;
  readonly view: Pick<DrainView, "pods">;
  readonly scene: () => Scene;
  readonly clock: Clock;
}

/** Looks at the node from time to time, and as soon as a pod has come that the mark should have kept away. */
export class NodeLooks {
  readonly #tools: LookTools;
  readonly #vouched: Set<PodUid>;

  constructor(emptying: Emptying, tools: LookTools) {
    this.#tools = tools;
    this.#vouched = new Set(vouchedAtStart(tools.view.pods(), emptying).map(({ uid }) => uid));
  }

  /** The pods that were on the node when it was last found marked, or before. */
  vouched(): ReadonlySet<PodUid> {
    return this.#vouched;
  }

  /** Whether this process may evict the node's pods now. If not, the next look tries to get the turn. */
  mayEvict(): boolean {
    return this.#tools.watch.mayEvict();
  }

  /** When to look next. */
  due(): Instant {
    const { watch, view, scene } = this.#tools;
    const sight = { ...scene(), vouched: this.#vouched };
    const isDoubted = view.pods().some((pod) => isNewcomer(pod, sight));
    return earliest(watch.due(), isDoubted ? watch.found().steady : never);
  }

  /** Reads the node, and returns its state. */
  async look(): Promise<NodeState> {
    const { watch, view, clock } = this.#tools;
    const seen = view.pods();
    const began = clock.now();
    const state = await watch.look();
    if (state === "kept" && began >= watch.found().steady)
      for (const { uid } of seen) this.#vouched.add(uid);
    return state;
  }
}

/** The pods of a pass's first list. If the node had been opened before this pass, those that came since the drain began do not count. */
const vouchedAtStart = (
  pods: readonly Pod[],
  { marked, steady, bounds }: Emptying,
): readonly Pod[] =>
  steady > marked ? pods.filter(({ created }) => created < wholeSecond(bounds.begun)) : pods;

// Kubernetes writes creation times in whole seconds.
const wholeSecond = (at: Instant): Instant => instant(Math.floor(at / 1000) * 1000);
