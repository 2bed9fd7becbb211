import type { PodUid } from "../base/ids.ts";
import { earliest, type Instant, instant, never } from "../base/time.ts";
import type { DrainPorts, DrainView } from "./drain.port.ts";
import { type DrainBounds, markedBounds } from "./drain-bounds.ts";
import type { MarkedNode } from "./marked-node.flow.ts";
import type { NodeState, NodeWatch } from "./node-watch.flow.ts";
import { orphanedDaemonSets } from "./orphaned-daemon-sets.flow.ts";
import type { ForceTimes } from "./overdue.ts";
import type { Pod } from "./pod.ts";
import { holdsNode, type Scene, staysWithNode } from "./pod-class.ts";
import { type ReasonRow, rowOf } from "./reason.ts";
import { isNewcomer } from "./tiers.ts";

/**
 * A marked node and its pods, as a pass follows them. Looks at the node from time to time, and as soon as a pod has come that
 * the mark should have kept away.
 */
export class FollowedNode {
  /** The node as the pass has marked it. */
  readonly marked: MarkedNode;
  readonly view: DrainView;
  /** When the pass began to follow the node. */
  readonly began: Instant;
  readonly #watch: NodeWatch;
  readonly #ports: DrainPorts;
  readonly #seenSinceMark = new Set<PodUid>();
  #orphaned: ReadonlySet<string> = new Set();

  constructor(watch: NodeWatch, view: DrainView, ports: DrainPorts) {
    this.marked = watch.found();
    this.view = view;
    this.began = ports.clock.now();
    this.#watch = watch;
    this.#ports = ports;
  }

  /** Looks for the DaemonSets of the pods, and takes note of the pods that the mark cannot have kept away. */
  async begin(): Promise<void> {
    this.#orphaned = await orphanedDaemonSets(this.view.pods(), this.#ports);
    for (const { uid } of seenAtStart(this.view.pods(), this.marked)) this.#seenSinceMark.add(uid);
  }

  /** The node and its mark as they are now. */
  found(): MarkedNode {
    return this.#watch.found();
  }

  /** The bounds of the drain, with the deadline of its node's mark. */
  bounds(): DrainBounds {
    return boundsNow(this.#watch, this.#ports);
  }

  scene(): Scene {
    const { node, marked, order } = this.found();
    const now = this.#ports.clock.now();
    return { node, marked, settings: order.settings, orphaned: this.#orphaned, now };
  }

  /** The row of the reason for which the node has to be drained now. */
  reason(): ReasonRow {
    return rowOf(this.found().cause.reason, this.#ports.reasons);
  }

  forceTimes(): ForceTimes {
    const { cameAt: begun, deadline } = this.bounds();
    const { budgetGrace } = this.reason();
    return { begun, deadline, budgetGrace };
  }

  /** The pods that keep their volumes attached: those that stay until the node ends, and those still to leave. */
  remaining(): readonly Pod[] {
    const scene = this.scene();
    return this.view.pods().filter((pod) => staysWithNode(pod, scene) || holdsNode(pod, scene));
  }

  /** The pods that were on the node when it was last found marked, or before. */
  seenSinceMark(): ReadonlySet<PodUid> {
    return this.#seenSinceMark;
  }

  /** Whether this process may evict the node's pods now. If not, the next look tries to get the lease. */
  mayEvict(): boolean {
    return this.#watch.mayEvict();
  }

  /** When to look next. */
  due(): Instant {
    const scene = { ...this.scene(), seenSinceMark: this.#seenSinceMark };
    const isDoubted = this.view.pods().some((pod) => isNewcomer(pod, scene));
    return earliest(this.#watch.due(), isDoubted ? this.found().trustedFrom : never);
  }

  /** Reads the node, and returns its state. */
  async work(): Promise<NodeState> {
    const seen = this.view.pods();
    const began = this.#ports.clock.now();
    const state = await this.#watch.look();
    if (state === "kept" && began >= this.found().trustedFrom)
      for (const { uid } of seen) this.#seenSinceMark.add(uid);
    return state;
  }
}

/** The bounds of a drain, with the deadline of its node's mark as it is now. */
export function boundsNow(watch: NodeWatch, { reasons }: DrainPorts): DrainBounds {
  const { order, bounds, cause } = watch.found();
  return markedBounds(bounds, cause, order.settings, reasons);
}

/** The pods of a pass's first list. If the node had been opened before this pass, those that came since the drain began do not count. */
const seenAtStart = (
  pods: readonly Pod[],
  { marked, trustedFrom, bounds }: MarkedNode,
): readonly Pod[] =>
  trustedFrom > marked ? pods.filter(({ created }) => created < wholeSecond(bounds.begun)) : pods;

// Kubernetes writes creation times in whole seconds.
const wholeSecond = (at: Instant): Instant => instant(Math.floor(at / 1000) * 1000);
