import type { NodeName, PodUid } from "../base/ids.ts";
import { earliest, type Instant, later, minutes, never, seconds } from "../base/time.ts";
import { Wakeup } from "../base/wakeup.ts";
import type { HeldPod } from "../drain/held-by-budget.ts";
import type { Pod } from "../drain/pod.ts";
import type { DrainRoom } from "../drain/room.port.ts";
import type { RoomNote, Snapshot } from "../drain/snapshot.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import { ByOthers } from "./by-others.ts";
import { candidateFor } from "./consider.flow.ts";
import type { KnownSurges } from "./known-surges.ts";
import type { RoomPorts } from "./making-room.port.ts";
import { noteLoss, taken } from "./next-room-step.ts";
import { reconcileSurge, type SurgeContext, surgeContextOf, tell } from "./reconcile-surge.flow.ts";
import { tryRecord } from "./record.ts";
import { recount } from "./recount.ts";
import { nothing, type RoomState, reasonIn, refused, standingWords } from "./room-refusal.ts";
import { surgedBefore } from "./room-scene.ts";
import { ownerOf, SurgeHolds } from "./surge-holds.flow.ts";
import { waitEnds } from "./surge-time.ts";
import type { Workload } from "./workload.ts";

// The status of a budget may come a moment after its pods.
const beforeSurge = seconds(3);
const busyRest = seconds(2);
const idleRest = seconds(15);
// A search for a place on a node takes many requests.
const placeRest = minutes(1);
// The looks at a namespace that take longer go on, and the others are looked at again without them.
const longestLook = seconds(10);

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
  readonly #unreadSince = new Map<string, Instant>();
  readonly #toldFaults = new Set<string>();
  readonly #holds: SurgeHolds;
  /** The namespaces that are being looked at. */
  readonly #underWay = new Set<string>();
  #stranded: readonly HeldPod[] = [];
  #snapshot: Snapshot | undefined;
  #next: Instant = never;
  #looks: "none" | "some" = "none";

  constructor(node: NodeName, ports: SurgePorts) {
    this.#node = node;
    this.#ports = ports;
    this.#holds = new SurgeHolds(ports);
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
    const surge = this.#holds.last(owner);
    const standing = await this.#look(held, before);
    this.#standings.set(owner, standing);
    if (this.#tells(owner, standing)) this.#holds.judge(owner, surge);
    if (standing.kind === "full")
      this.#fullUntil.set(owner, later(this.#ports.clock.now(), placeRest));
  }

  /** Whether a look has found that nothing is to be waited for. One that fails tells nothing, for as long as a budget may be late. */
  #tells(owner: string, { kind }: RoomState): boolean {
    if (kind !== "unread") {
      this.#unreadSince.delete(owner);
      return kind !== "awaited";
    }
    const now = this.#ports.clock.now();
    const since = this.#unreadSince.get(owner) ?? now;
    this.#unreadSince.set(owner, since);
    return now >= later(since, recount);
  }

  /** Whether a pod is awaited that was made elsewhere. */
  isBusy(): boolean {
    return this.#stranded.some((one) => this.#awaits(one));
  }

  /** Holds a pod back whose workload is surged or has just been, and looks at that soon. */
  async holdsBack(pod: Pod, until: Instant): Promise<boolean> {
    const isKnown = () => this.#snapshot?.unread.has(pod.namespace) === false;
    const surge = await this.#holds.over({ pod, isKnown, until });
    if (surge === "none") return false;
    const now = this.#ports.clock.now();
    this.#standings.set(ownerOf(pod), surgedBefore(surge, now));
    this.#next = earliest(this.#next, later(now, busyRest));
    return true;
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
      const isTold = cause instanceof ByOthers || this.#toldFaults.has(fault.message);
      if (!isTold) this.#ports.journal.record(fault);
      this.#toldFaults.add(fault.message);
      return { kind: "unread", why: fault.message };
    }
  }

  async #attend([first, ...others]: readonly HeldPod[], before: RoomState): Promise<RoomState> {
    const snapshot = this.#snapshot;
    if (first === undefined || snapshot === undefined) return nothing;
    const { settings } = snapshot;
    const times = others.map(({ pod }) => waitEnds(pod, snapshot, settings));
    const until = earliest(waitEnds(first.pod, snapshot, settings), ...times);
    const { budgets: all } = snapshot;
    const need = { node: this.#node, budgets: first.budgets, all, until };
    const { known, clock } = this.#ports;
    const began = clock.now();
    const context = await surgeContextOf(need, settings, this.#ports);
    const found = await candidateFor(first, settings, context.workloads);
    if ("why" in found) return this.#refusedBy(found, first, before, context);
    const lost = await this.#lookForLoss(found, began, context);
    if (lost !== "none") return lost;
    const standing = await reconcileSurge(found, context);
    const { kind, why } = standing;
    const isRefused = kind === "refused" || kind === "full";
    if (isRefused && known.isNews(`${found.uid} ${this.#node}`, why, clock.now())) {
      const { replicas: count } = found;
      const change = { stage: "not tried", from: count, to: count } as const;
      tell({ ...change, why: reasonIn(standing) }, found, context);
    }
    return standing;
  }

  /** Looks whether somebody has taken the record of a workload away, and notes that. */
  async #lookForLoss(
    found: Workload,
    began: Instant,
    context: SurgeContext,
  ): Promise<RoomState | "none"> {
    const { known, clock } = this.#ports;
    const now = clock.now();
    const lost = known.lostRecord(found, { began, now });
    if (lost !== "no") return leaveRaised(found, lost, context);
    if (!isLabelAlone(found) || !known.isNews(`${found.uid} label`, taken, now)) return "none";
    await noteLost(found, context);
    return { kind: "awaited", why: taken };
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

/**
 * Leaves the count of a workload whose record was taken away as it is; its autoscaler goes back as far as that has a record. With the label,
 * `kubectl rollout undo` might bring the record back after its owner has set the count.
 */
async function leaveRaised(
  found: Workload,
  since: "before" | "now",
  context: SurgeContext,
): Promise<RoomState> {
  if (since === "now") await noteLost(found, context);
  const isRecorded = found.scalers.some(({ annotations }) => tryRecord(annotations) !== undefined);
  if (isRecorded) await reconcileSurge(found, { ...context, need: "none" });
  return refused(taken);
}

/** Whether the label of a surge is all that is left of it, as where its process has died and `kubectl rollout undo` has taken the record. */
const isLabelAlone = ({ annotations, isLabelled }: Workload): boolean =>
  isLabelled && tryRecord(annotations) === undefined;

// An operator that takes the record may write the workload again at once.
const mostNoteTries = 3;

/** Writes a note in place of a record that was taken away, and tells that, also where nobody can write it, unless another drain has done so. */
async function noteLost(found: Workload, context: SurgeContext): Promise<void> {
  let noted: "by others" | "by us" = "by us";
  try {
    noted = await writeLoss(found, context);
  } finally {
    if (noted === "by us") tell(lossOf(found, context).change, found, context);
  }
}

/** Writes the note, and takes the label; `by others` where it is there by now, or another surge. */
async function writeLoss(found: Workload, context: SurgeContext): Promise<"by others" | "by us"> {
  const { workloads } = context;
  let workload: Workload | "gone" = found;
  for (let tries = 0; workload !== "gone" && tries < mostNoteTries; tries += 1) {
    const phase = tryRecord(workload.annotations)?.phase ?? "none";
    if (phase !== "none") return "by others";
    if ((await workloads.write(lossOf(workload, context))) === "written") break;
    workload = await workloads.reload(workload);
  }
  return "by us";
}

const lossOf = (workload: Workload, { settings, ports }: SurgeContext) =>
  noteLoss({ workload, settings, now: ports.clock.now() });

/** Whether waiting alone does not help: the budget counts what there is, and allows nothing, or its controller cannot count its pods. */
const hasNothingToSpare = ({ budgets }: HeldPod): boolean =>
  budgets.every(
    ({ observed, uncounted, disruptionsAllowed }) =>
      (observed || uncounted !== "") && disruptionsAllowed <= 0,
  );
