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
import { budgetTitle } from "../drain/budget.ts";
import type { HeldPod } from "../drain/held-by-budget.ts";
import { forcedFrom } from "../drain/overdue.ts";
import type { Pod } from "../drain/pod.ts";
import type { RoomNote, Snapshot } from "../drain/snapshot.ts";
import type { Recurring } from "../notice/background-task.flow.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import type { Ports } from "../registrations/ports.ts";
import { attend, attendanceOf, candidateFor, letGo, putRoomBack, tell } from "./attend.flow.ts";
import type { RoomStanding } from "./next-room-step.ts";
import { refusalWords } from "./room-refusal.ts";
import { isAwaited, standingWords, trySurge } from "./room-words.ts";
import { isOf, type Workload } from "./workload.ts";

// The status of a budget may come a moment after its pods.
const patience = seconds(3);
const busyRest = seconds(2);
const idleRest = seconds(15);
// Whether a node has a place takes many requests to find out.
const placeRest = minutes(1);

/** What was found out about a pod, and from when on it is looked at again. */
interface Standing {
  readonly standing: RoomStanding;
  readonly notBefore: Instant;
}

/** The room of a pass, which goes on with what earlier passes have begun. */
export async function openRoom(node: NodeName, ports: Ports): Promise<RoomMaker> {
  try {
    const workloads = await ports.cluster.workloads();
    const surged = (await workloads.recorded()).filter((one) => trySurge(one) !== undefined);
    return new RoomMaker(node, surged, ports);
  } catch (cause) {
    ports.journal.record(faultEntry(cause));
    return new RoomMaker(node, [], ports);
  }
}

/** Makes room for the pods of a node whose budgets have nothing to spare, beside the loop of its drain. */
export class RoomMaker implements Recurring<void> {
  readonly #node: NodeName;
  readonly #ports: Ports;
  readonly #standings = new Map<PodUid, Standing>();
  readonly #told = new Set<string>();
  readonly #surged: readonly Workload[];
  #stranded: readonly HeldPod[] = [];
  #snapshot: Snapshot | undefined;
  #next: Instant = never;

  /** The workloads are those that are surged when the pass begins: an earlier pass may have had to end while it waited. */
  constructor(node: NodeName, surged: readonly Workload[], ports: Ports) {
    this.#node = node;
    this.#surged = surged;
    this.#ports = ports;
  }

  /** Takes note of the pods that budgets hold now. */
  note(held: readonly HeldPod[], snapshot: Snapshot): void {
    this.#snapshot = snapshot;
    // With the pods that were made elsewhere, a budget may have some to spare.
    this.#stranded = held.filter((one) => hasNothingToSpare(one) || this.#awaits(one));
    if (this.#stranded.length === 0) this.#next = never;
    else if (this.#next === never) this.#next = later(snapshot.now, patience);
  }

  due(): Instant {
    return this.#next;
  }

  /** Looks at each workload that has a pod here. */
  async work(): Promise<void> {
    for (const [first, ...others] of Map.groupBy(this.#stranded, ownerOf).values())
      if (first !== undefined && this.#isDue(first)) await this.#look(first, others);
    // Another drain may surge the same workload at any moment.
    const waits = this.#stranded.some(
      ({ pod }) => this.#standings.get(pod.uid)?.standing.kind === "wait",
    );
    this.#next = later(this.#ports.clock.now(), waits ? busyRest : idleRest);
  }

  /** Whether a pod is awaited that was made elsewhere. */
  isBusy(): boolean {
    return this.#stranded.some((one) => this.#awaits(one));
  }

  /** What there is to say about the room for each pod. */
  notes(pods: readonly Pod[], now: Instant): ReadonlyMap<PodUid, RoomNote> {
    for (const pod of pods) this.#resume(pod);
    const notes = Array.from(this.#standings, ([uid, { standing }]) => {
      const words = standingWords(standing, now);
      return [uid, { state: isAwaited(standing) ? "awaited" : "none", words }] as const;
    });
    return new Map(notes.filter(([, { words }]) => words !== ""));
  }

  /** Puts back what no drain needs any more. */
  async putBack(): Promise<void> {
    if (this.#snapshot !== undefined) await putRoomBack(this.#snapshot.settings, this.#ports);
  }

  #isDue({ pod }: HeldPod): boolean {
    const now = this.#ports.clock.now();
    return now >= (this.#standings.get(pod.uid)?.notBefore ?? now);
  }

  /** An error goes to the journal, and the drain goes on all the same. */
  async #look(first: HeldPod, others: readonly HeldPod[]): Promise<void> {
    const { clock, journal } = this.#ports;
    const standing = await this.#attend(first, others).catch((cause: unknown): RoomStanding => {
      const fault = faultEntry(cause);
      if (this.#isNew(fault.message)) journal.record(fault);
      return { kind: "nothing" };
    });
    const isFull = standing.kind === "refused" && standing.refusal.kind === "no-place";
    const notBefore = isFull ? later(clock.now(), placeRest) : clock.now();
    for (const { pod } of [first, ...others]) this.#standings.set(pod.uid, { standing, notBefore });
  }

  async #attend(first: HeldPod, others: readonly HeldPod[]): Promise<RoomStanding> {
    const snapshot = this.#snapshot;
    if (snapshot === undefined) return { kind: "nothing" };
    const times = others.map((one) => goesOnAt(one, snapshot));
    const until = earliest(goesOnAt(first, snapshot), ...times);
    const need = { node: this.#node, budget: first.budgets.map(budgetTitle).join(), until };
    const attendance = await attendanceOf(need, snapshot.settings, this.#ports);
    const found = await candidateFor(first, snapshot.settings, attendance.workloads);
    if (found.kind === "refused") return found;
    const standing = await attend(found, attendance);
    if (standing.kind !== "refused") return standing;
    const why = refusalWords(standing.refusal);
    const { replicas: count } = found;
    if (this.#isNew(`${found.uid} ${why}`))
      tell({ stage: "not tried", from: count, to: count, why }, found, attendance);
    return standing;
  }

  /** Keeps a pod from being asked to go before the first look at its workload, if that is surged. */
  #resume(pod: Pod): void {
    const workload = this.#surged.find((one) => isOf(pod, one));
    if (this.#standings.has(pod.uid) || workload === undefined) return;
    const notBefore = this.#ports.clock.now();
    this.#standings.set(pod.uid, { standing: letGo(workload), notBefore });
  }

  #awaits({ pod }: HeldPod): boolean {
    const found = this.#standings.get(pod.uid);
    return found !== undefined && isAwaited(found.standing);
  }

  #isNew(words: string): boolean {
    const isNew = !this.#told.has(words);
    this.#told.add(words);
    return isNew;
  }
}

const ownerOf = ({ pod: { uid, controller } }: HeldPod): string =>
  controller.kind === "none" ? uid : controller.uid;

/** Whether waiting alone does not help: the budget counts what there is, and allows nothing. */
const hasNothingToSpare = ({ budgets }: HeldPod): boolean =>
  budgets.every(({ observed, disruptionsAllowed }) => observed && disruptionsAllowed <= 0);

// A surge that comes to nothing is given up, and says why, before the pod is deleted past its budget.
const toGiveUp = milliseconds(-seconds(5));

const goesOnAt = ({ pod }: HeldPod, snapshot: Snapshot): Instant =>
  snapshot.settings.force === "never"
    ? snapshot.deadline
    : later(forcedFrom(pod, snapshot), toGiveUp);
