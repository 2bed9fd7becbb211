import { sleepFor } from "../base/clock.port.ts";
import type { NodeName, PodUid } from "../base/ids.ts";
import {
  earliest,
  type Instant,
  later,
  milliseconds,
  minutes,
  never,
  seconds,
} from "../base/time.ts";
import { Wakeup } from "../base/wakeup.ts";
import type { HeldPod } from "../drain/held-by-budget.ts";
import { forcedFrom } from "../drain/overdue.ts";
import type { Pod } from "../drain/pod.ts";
import type { DrainRoom } from "../drain/room.port.ts";
import type { RoomNote, Snapshot } from "../drain/snapshot.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import { ByOthers } from "./by-others.ts";
import type { KnownSurges } from "./known-surges.ts";
import type { RoomPorts } from "./making-room.port.ts";
import { isJustBack, surgedBefore } from "./next-room-step.ts";
import {
  candidateFor,
  reconcileSurge,
  type SurgeContext,
  surgeContextOf,
  tell,
} from "./reconcile-surge.flow.ts";
import { recordAnnotation } from "./record.ts";
import { nothing, type RoomState, refused, standingWords } from "./room-refusal.ts";
import type { SurgedWorkload, Workload } from "./workload.ts";

// The status of a budget may come a moment after its pods.
const beforeSurge = seconds(3);
const busyRest = seconds(2);
const idleRest = seconds(15);
// A search for a place on a node takes many requests.
const placeRest = minutes(1);
// The looks at a namespace that take longer go on, and the others are looked at again without them.
const longestLook = seconds(10);
const longestUnread = seconds(15);
const unreadRest = seconds(1);

/** The outside world of a surge, and the surges that all drains of the process know. */
interface SurgePorts extends RoomPorts {
  readonly known: KnownSurges;
}

/**
 * Makes room for the pods of a node whose budgets have nothing to spare, beside the loop of its drain, and goes on with what
 * other passes have begun. It looks at the workloads of its own pods alone.
 */
export class DrainSurge implements DrainRoom {
  readonly #node: NodeName;
  readonly #ports: SurgePorts;
  /** By what has made the pods. */
  readonly #standings = new Map<string, RoomState>();
  readonly #fullUntil = new Map<string, Instant>();
  /** The surges for which pods were held back last, and those that were looked at since and hold none back any more. */
  readonly #found = new Map<string, string>();
  readonly #judged = new Map<string, string>();
  /** Until when pods wait for workloads that nobody could read. */
  readonly #unreadUntil = new Map<string, Instant>();
  /** The namespaces that are being looked at. */
  readonly #underWay = new Set<string>();
  #stranded: readonly HeldPod[] = [];
  #snapshot: Snapshot | undefined;
  #next: Instant = never;
  #looks: "none" | "some" = "none";

  constructor(node: NodeName, ports: SurgePorts) {
    this.#node = node;
    this.#ports = ports;
  }

  /** Takes note of the pods that budgets hold now. */
  note(held: readonly HeldPod[], snapshot: Snapshot): void {
    this.#snapshot = snapshot;
    // With the pods that were made elsewhere, a budget may have some to spare.
    this.#stranded = held.filter((one) => hasNothingToSpare(one) || this.#awaits(one));
    if (this.#stranded.length === 0) this.#next = never;
    else if (this.#next === never) this.#next = later(snapshot.now, beforeSurge);
  }

  due(): Instant {
    return this.#next;
  }

  /** Looks at each workload that has a pod here, namespace beside namespace: one whose objects take long takes no other one's time. */
  async work(): Promise<void> {
    const { clock } = this.#ports;
    const groups = Map.groupBy(this.#stranded, ({ pod }) => ownerOf(pod));
    const spaces = Map.groupBy(groups, ([, [first]]) => first?.pod.namespace ?? "");
    const idle = [...spaces].filter(([namespace]) => !this.#underWay.has(namespace));
    const done = new Wakeup();
    void Promise.all(idle.map(([namespace, some]) => this.#workIn(namespace, some))).then(() =>
      done.notify(),
    );
    await clock.sleep(later(clock.now(), longestLook), done);
    this.#looks = "some";
    // Another drain may surge the same workload at any moment.
    const kinds = Array.from(groups.keys(), (owner) => this.#standings.get(owner)?.kind);
    const isBusy = kinds.some((kind) => kind === "awaited" || kind === "waits");
    this.#next = later(clock.now(), isBusy ? busyRest : idleRest);
  }

  async #workIn(
    namespace: string,
    some: readonly (readonly [string, readonly HeldPod[]])[],
  ): Promise<void> {
    this.#underWay.add(namespace);
    await this.#workInTurn(some);
    this.#underWay.delete(namespace);
  }

  async #workInTurn(some: readonly (readonly [string, readonly HeldPod[]])[]): Promise<void> {
    for (const [owner, held] of some) {
      const now = this.#ports.clock.now();
      if (now >= (this.#fullUntil.get(owner) ?? now)) await this.#workOn(owner, held);
    }
  }

  async #workOn(owner: string, held: readonly HeldPod[]): Promise<void> {
    const before = this.#standings.get(owner) ?? nothing;
    const found = this.#found.get(owner);
    const standing = await this.#look(held, before);
    this.#standings.set(owner, standing);
    if (found !== undefined && standing.kind !== "awaited") this.#judged.set(owner, found);
    if (standing.kind === "full")
      this.#fullUntil.set(owner, later(this.#ports.clock.now(), placeRest));
  }

  /** Whether a pod is awaited that was made elsewhere. */
  isBusy(): boolean {
    return this.#stranded.some((one) => this.#awaits(one));
  }

  /**
   * Holds a pod back whose workload is surged, until a look at it finds that nothing is to be waited for, or has just been,
   * whatever a look finds: a budget may still count a pod that has gone, and would let another one go too.
   */
  async holdsBack(pod: Pod, until: Instant): Promise<boolean> {
    const surge = await this.#surgeOf(pod, until);
    const owner = ownerOf(pod);
    const now = this.#ports.clock.now();
    if (surge === "none" || now >= until) return false;
    if (this.#judged.get(owner) === titleOf(surge) && !isJustBack(surge, now)) return false;
    this.#found.set(owner, titleOf(surge));
    this.#standings.set(owner, surgedBefore(surge, now));
    this.#next = earliest(this.#next, later(now, busyRest));
    return true;
  }

  /** Tries again for a while where nobody can read the workload: then a controller is late, too, that counts for its budget. */
  async #surgeOf(pod: Pod, until: Instant): Promise<SurgedWorkload | "none"> {
    const { clock, cluster } = this.#ports;
    const owner = ownerOf(pod);
    while (clock.now() < until) {
      const surge = await cluster.workloads().then((workloads) => workloads.surgeOf(pod), unread);
      if (surge !== "unread") return surge;
      const ends = this.#unreadUntil.get(owner) ?? later(clock.now(), longestUnread);
      this.#unreadUntil.set(owner, ends);
      if (clock.now() >= ends) break;
      await sleepFor(unreadRest, clock);
    }
    return "none";
  }

  /** Whether pods are stranded that it has not looked at yet. */
  isToLook(): boolean {
    return this.#looks === "none" && this.#stranded.length > 0;
  }

  /** The remarks on the room for each pod. */
  notes(pods: readonly Pod[]): ReadonlyMap<PodUid, RoomNote> {
    const notes = pods.map((pod): readonly [PodUid, RoomNote] => {
      const standing = this.#standings.get(ownerOf(pod)) ?? nothing;
      const state = standing.kind === "awaited" ? "awaited" : "none";
      return [pod.uid, { state, words: standingWords(standing) }];
    });
    return new Map(notes.filter(([, { words }]) => words !== ""));
  }

  /** Looks at the workloads. An error is logged, and the drain goes on. What was reported before is not reported again. */
  async #look(held: readonly HeldPod[], before: RoomState): Promise<RoomState> {
    try {
      return await this.#attend(held, before);
    } catch (cause) {
      const fault = faultEntry(cause);
      const isTold = cause instanceof ByOthers || fault.message === before.why;
      if (!isTold) this.#ports.journal.record(fault);
      return refused(fault.message);
    }
  }

  async #attend([first, ...others]: readonly HeldPod[], before: RoomState): Promise<RoomState> {
    const snapshot = this.#snapshot;
    if (first === undefined || snapshot === undefined) return nothing;
    const times = others.map((one) => goesOnAt(one, snapshot));
    const until = earliest(goesOnAt(first, snapshot), ...times);
    const need = { node: this.#node, budgets: first.budgets, until };
    const { known, clock } = this.#ports;
    const began = clock.now();
    const context = await surgeContextOf(need, snapshot.settings, this.#ports, known);
    const found = await candidateFor(first, snapshot.settings, context.workloads);
    if ("why" in found) return this.#refusedBy(found, first, before, context);
    const { replicas: count } = found;
    const lost = known.lostRecord(found, { began, now: clock.now() });
    if (lost !== "no") return leaveRaised(found, lost, context);
    const standing = await reconcileSurge(found, context);
    const { kind, why } = standing;
    const isRefused = kind === "refused" || kind === "full";
    if (isRefused && known.isNews(`${found.uid} ${this.#node}`, why, clock.now()))
      tell({ stage: "not tried", from: count, to: count, why }, found, context);
    return standing;
  }

  /** Why a workload gets no pod more. A surge that is under way goes on to its end, or ends at once where it was switched off. */
  async #refusedBy(
    why: RoomState,
    { pod }: HeldPod,
    before: RoomState,
    context: SurgeContext,
  ): Promise<RoomState> {
    if (before.kind !== "awaited") return why;
    const maker = await context.workloads.ownerOf(pod);
    if (typeof maker === "string") return why;
    const { kind } = await reconcileSurge(maker, { ...context, need: "none" });
    return kind === "awaited" ? { ...why, kind } : why;
  }

  #awaits({ pod }: HeldPod): boolean {
    return this.#standings.get(ownerOf(pod))?.kind === "awaited";
  }
}

// Nobody puts a count back without its record.
const taken = "somebody has taken its record away, so its count stays";

/** Leaves a workload whose record was taken away as it is; its autoscaler goes back as far as that has a record. */
async function leaveRaised(
  found: Workload,
  since: "before" | "now",
  context: SurgeContext,
): Promise<RoomState> {
  const { replicas: count, scalers } = found;
  if (since === "now")
    tell({ stage: "given up", from: count, to: count, why: taken }, found, context);
  if (scalers.length > 0) await reconcileSurge(found, { ...context, need: "none" });
  return refused(taken);
}

const unread = () => "unread" as const;

const titleOf = ({ annotations, countedAt }: SurgedWorkload): string =>
  `${countedAt} ${annotations[recordAnnotation]}`;

// Anybody may write the UID of another namespace's ReplicaSet into the pods of their own.
const ownerOf = ({ namespace, uid, controller }: Pod): string =>
  `${namespace}/${controller.kind === "none" ? uid : controller.uid}`;

/** Whether waiting alone does not help: the budget counts what there is, and allows nothing. */
const hasNothingToSpare = ({ budgets }: HeldPod): boolean =>
  budgets.every(({ observed, disruptionsAllowed }) => observed && disruptionsAllowed <= 0);

// A surge without success is given up, with the reason, before the pod is deleted in spite of its budget.
const toGiveUp = milliseconds(-seconds(5));

const goesOnAt = ({ pod }: HeldPod, snapshot: Snapshot): Instant =>
  snapshot.settings.force === "never"
    ? snapshot.deadline
    : later(forcedFrom(pod, snapshot), toGiveUp);
