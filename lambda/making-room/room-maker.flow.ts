import type { NodeName, PodUid } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
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
import { faultEntry } from "../notice/fault-entry.flow.ts";
import type { Ports } from "../registrations/ports.ts";
import { attend, attendanceOf, candidateFor, putRoomBack, refusedEntry } from "./attend.flow.ts";
import { tryRecord } from "./record.ts";
import { isAwaited, type RoomStanding, standingWords } from "./room-words.ts";
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
    return new RoomMaker(node, await workloads.recorded(), ports);
  } catch (cause) {
    ports.journal.record(faultEntry(cause));
    return new RoomMaker(node, [], ports);
  }
}

/** Makes room for the pods of a node whose budgets have nothing to spare, beside the loop of its drain. */
class RoomMaker {
  readonly #node: NodeName;
  readonly #ports: Ports;
  readonly #standings = new Map<PodUid, Standing>();
  readonly #wishes = new Map<string, Labels>();
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
    for (const group of Map.groupBy(this.#stranded, ownerOf).values()) await this.#look(group);
    // Another drain may surge the same workload at any moment.
    const waits = this.#stranded.some((one) => this.#standingOf(one)?.kind === "waits");
    this.#next = later(this.#ports.clock.now(), waits ? busyRest : idleRest);
  }

  isBusy(): boolean {
    return this.#stranded.some((one) => this.#awaits(one));
  }

  notes(pods: readonly Pod[], now: Instant): ReadonlyMap<PodUid, RoomNote> {
    for (const pod of pods) this.#resume(pod);
    const notes = Array.from(this.#standings, ([uid, { standing }]) => {
      const words = standingWords(standing, now);
      return [uid, { state: isAwaited(standing) ? "awaited" : "none", words }] as const;
    });
    return new Map(notes.filter(([, { words }]) => words !== ""));
  }

  async putBack(): Promise<void> {
    if (this.#snapshot !== undefined) await putRoomBack(this.#snapshot.settings, this.#ports);
  }

  /** An error goes to the journal, and the drain goes on all the same. */
  async #look([first, ...others]: readonly HeldPod[]): Promise<void> {
    const { clock, journal } = this.#ports;
    if (first === undefined) return;
    const { notBefore = clock.now() } = this.#standings.get(first.pod.uid) ?? {};
    if (clock.now() < notBefore) return;
    try {
      await this.#attend(first, others);
    } catch (cause) {
      const fault = faultEntry(cause);
      if (this.#isNew(fault.message)) journal.record(fault);
      this.#stand([first, ...others], { kind: "nothing" });
    }
  }

  async #attend(first: HeldPod, others: readonly HeldPod[]): Promise<void> {
    const snapshot = this.#snapshot;
    if (snapshot === undefined) return;
    const { makeRoom: setting } = snapshot.settings;
    const times = others.map((one) => goesOnAt(one, snapshot));
    const until = earliest(goesOnAt(first, snapshot), ...times);
    const need = { node: this.#node, budget: first.budgets.map(budgetTitle).join(), until };
    const attendance = await attendanceOf(need, snapshot.settings, this.#ports);
    const { workloads } = attendance;
    const wishesOf = (namespace: string) => this.#wishesOf(namespace);
    const found = await candidateFor(first, { setting, workloads, wishesOf });
    const standing = found.kind === "refused" ? found : await attend(found.workload, attendance);
    this.#stand([first, ...others], standing);
    const refused = found.kind === "workload" && refusedEntry(found.workload, standing);
    if (refused && this.#isNew(`${refused.workload} ${refused.why}`))
      this.#ports.journal.record({ kind: "making-room", node: this.#node, ...refused });
  }

  /** Keeps a pod from being asked to go before the first look at its workload, if that is surged. */
  #resume(pod: Pod): void {
    if (this.#standings.has(pod.uid)) return;
    const workload = this.#surged.find((one) => isOf(pod, one));
    const record = workload === undefined ? undefined : tryRecord(workload.annotations);
    if (workload === undefined || record?.phase !== "up") return;
    const standing = { kind: "waits", workload, for: [], record, surplus: true } as const;
    this.#standings.set(pod.uid, { standing, notBefore: this.#ports.clock.now() });
  }

  #awaits(one: HeldPod): boolean {
    const standing = this.#standingOf(one);
    return standing !== undefined && isAwaited(standing);
  }

  #standingOf({ pod }: HeldPod): RoomStanding | undefined {
    return this.#standings.get(pod.uid)?.standing;
  }

  async #wishesOf(namespace: string): Promise<Labels> {
    const workloads = await this.#ports.cluster.workloads();
    const read = this.#wishes.get(namespace) ?? (await workloads.namespaceWishes(namespace));
    this.#wishes.set(namespace, read);
    return read;
  }

  #stand(group: readonly HeldPod[], standing: RoomStanding): void {
    const isFull = standing.kind === "refused" && standing.refusal.kind === "no-place";
    const now = this.#ports.clock.now();
    const notBefore = isFull ? later(now, placeRest) : now;
    for (const { pod } of group) this.#standings.set(pod.uid, { standing, notBefore });
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
