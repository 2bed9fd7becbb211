import { type Duration, type Instant, instant, later } from "../../lambda/base/time.ts";
import { pods } from "./core-resources.ts";
import { terminating } from "./kube-object.ts";
import type { Machinery } from "./machinery.ts";
import type { Pod } from "./pod.ts";
import { type Acquaintance, careFor, endOf, startOf } from "./pod-lifecycle.ts";
import { refTo } from "./resource.ts";
import { Wake } from "./wake.ts";

/** Starts and ends the pods of one node as their `hollow/…` annotations say, until you stop it. */
export class Kubelet {
  readonly node: string;
  readonly #machinery: Machinery;
  readonly #startDelay: Duration;
  readonly #known = new Map<string, Acquaintance & { readonly grace: number | undefined }>();
  readonly #wake: Wake;
  #state: "running" | "stopped" = "running";

  constructor(node: string, machinery: Machinery, startDelay: Duration) {
    this.node = node;
    this.#machinery = machinery;
    this.#startDelay = startDelay;
    this.#wake = new Wake(machinery.timeline, () => this.#careForAll());
    this.look();
  }

  /** Whether the kubelet runs. */
  get alive(): boolean {
    return this.#state === "running";
  }

  /** Stops the kubelet: its pods stay as they are, even if somebody deletes them. */
  stop(): void {
    this.#state = "stopped";
  }

  /** Starts the kubelet again, which then catches up. */
  resume(): void {
    this.#state = "running";
    this.look();
  }

  /** Checks all its pods, because one of them may have changed. */
  look(): void {
    this.#wake.at(this.#machinery.timeline.now());
  }

  #careForAll(): void {
    if (!this.alive) return;
    const mine = this.#machinery.placed.on(this.node);
    for (const pod of mine) this.#careForOne(pod);
    const uids = new Set(mine.map(({ metadata }) => metadata.uid));
    for (const uid of this.#known.keys()) if (!uids.has(uid)) this.#known.delete(uid);
  }

  #careForOne(pod: Pod): void {
    const { store, deleter, timeline } = this.#machinery;
    const { status, over, lookAgain } = careFor(pod, this.#acquaint(pod), timeline.now());
    if (Number.isFinite(lookAgain)) this.#wake.at(lookAgain);
    const seen = store.update(refTo(pods, pod), (current) => ({ ...current, status }));
    if (over && !isHeldAtTheEnd(seen)) deleter.tryDelete(pods, seen, 0);
  }

  /** Remembers when a pod's containers start, and when they end once the pod is terminating. */
  #acquaint(pod: Pod): Acquaintance {
    const now = this.#machinery.timeline.now();
    const before = this.#known.get(pod.metadata.uid);
    const grace = pod.metadata.deletionGracePeriodSeconds;
    if (before !== undefined && before.grace === grace) return before;
    const startedAt = before?.startedAt ?? startOf(pod, later(now, this.#startDelay));
    const end: Instant = terminating(pod) ? endOf(pod, now) : instant(Number.POSITIVE_INFINITY);
    const endsAt = before === undefined ? end : instant(Math.min(before.endsAt, end));
    const known = { startedAt, endsAt, grace };
    this.#known.set(pod.metadata.uid, known);
    return known;
  }
}

/** A pod that has ended and only waits for its finalizers needs no second deletion. */
const isHeldAtTheEnd = ({ metadata }: Pod): boolean => metadata.deletionGracePeriodSeconds === 0;
