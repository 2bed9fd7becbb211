import type { NodeName, PodUid } from "../base/ids.ts";
import type { Labels } from "../base/labels.ts";
import { earliest, type Instant, later, never, seconds } from "../base/time.ts";
import { budgetTitle } from "../drain/budget.ts";
import type { HeldPod } from "../drain/held-by-budget.ts";
import { forcedFrom } from "../drain/overdue.ts";
import type { Pod } from "../drain/pod.ts";
import type { RoomNote, Snapshot } from "../drain/snapshot.ts";
import { faultEntry } from "../notice/fault-entry.flow.ts";
import type { Ports } from "../registrations/ports.ts";
import { attend, refusedEntry } from "./attend.flow.ts";
import { putRoomBack } from "./put-back.flow.ts";
import { tryRecord } from "./record.ts";
import type { Room } from "./room.flow.ts";
import { tryOff } from "./room-refusal.ts";
import { isAwaited, type RoomStanding, standingWords } from "./room-words.ts";
import type { Workload } from "./workload.ts";

// The status of a budget may come a moment after its pods.
const patience = seconds(3);
const busyRest = seconds(2);
const idleRest = seconds(15);

/** A pod that a budget holds which has nothing to spare. */
interface Stranded extends HeldPod {
  /** Since when this pass knows it. */
  readonly since: Instant;
  /** When the drain goes on without room. */
  readonly until: Instant;
}

/** Makes room for the pods of a node whose budgets have nothing to spare, beside the loop of its drain. */
export class RoomMaker implements Room {
  readonly #node: NodeName;
  readonly #ports: Ports;
  readonly #standings = new Map<PodUid, RoomStanding>();
  readonly #wishes = new Map<string, Labels>();
  readonly #told = new Set<string>();
  #stranded: readonly Stranded[] = [];
  #snapshot: Snapshot | undefined;
  #next: Instant = never;
  readonly #surged: readonly Workload[];

  /** The workloads are those that are surged when the pass begins: an earlier pass may have had to end while it waited. */
  constructor(node: NodeName, surged: readonly Workload[], ports: Ports) {
    this.#node = node;
    this.#surged = surged;
    this.#ports = ports;
  }

  note(held: readonly HeldPod[], snapshot: Snapshot): void {
    const known = new Map(this.#stranded.map((one) => [one.pod.uid, one]));
    this.#snapshot = snapshot;
    const stranded = held.filter((one) => hasNothingToSpare(one) || this.#awaits(one));
    this.#stranded = stranded.map((one) => ({
      ...one,
      since: known.get(one.pod.uid)?.since ?? snapshot.now,
      until: goesOnAt(one, snapshot),
    }));
    if (this.#stranded.length === 0) this.#next = never;
    else if (this.#next === never) this.#next = later(snapshot.now, patience);
  }

  due(): Instant {
    return this.#next;
  }

  /** Looks at each workload that has a pod here. An error goes to the journal, and the drain goes on all the same. */
  async work(): Promise<void> {
    const { clock, journal } = this.#ports;
    const groups = Map.groupBy(this.#stranded, ({ pod }) => ownerOf(pod));
    for (const group of groups.values()) {
      try {
        await this.#attend(group);
      } catch (cause) {
        const fault = faultEntry(cause);
        if (this.#isNew(fault.message)) journal.record(fault);
        this.#stand(group, { kind: "nothing" });
      }
    }
    this.#next = later(clock.now(), this.#isWaiting() ? busyRest : idleRest);
  }

  isBusy(): boolean {
    return this.#stranded.some((one) => this.#awaits(one));
  }

  notes(pods: readonly Pod[], now: Instant): ReadonlyMap<PodUid, RoomNote> {
    for (const pod of pods) this.#resume(pod);
    const notes = Array.from(this.#standings, ([uid, standing]) => {
      const words = standingWords(standing, now);
      return [uid, { state: isAwaited(standing) ? "awaited" : "none", words }] as const;
    });
    return new Map(notes.filter(([, { words }]) => words !== ""));
  }

  async #attend(group: readonly Stranded[]): Promise<void> {
    const [first, ...others] = group;
    const snapshot = this.#snapshot;
    if (first === undefined || snapshot === undefined) return;
    const { cluster, journal } = this.#ports;
    const { pod, budgets } = first;
    const { settings } = snapshot;
    if (budgets.length > 1)
      return this.#stand(group, { kind: "refused", refusal: { kind: "two-budgets" } });
    const workloads = await cluster.workloads();
    const maker = await workloads.makerOf(pod);
    if (maker.kind === "other")
      return this.#stand(group, {
        kind: "refused",
        refusal: { kind: "controller", type: maker.type },
      });
    const { workload } = maker;
    const namespace = await this.#wishesOf(pod.namespace);
    const consents = { setting: settings.makeRoom, namespace, workload: workload.annotations };
    const off = tryOff(consents);
    const need = {
      node: this.#node,
      budget: budgets.map(budgetTitle).join(),
      until: earliest(first.until, ...others.map(({ until }) => until)),
    };
    const standing: RoomStanding =
      off === undefined
        ? await attend(workload, { need, settings }, this.#ports)
        : { kind: "refused", refusal: off };
    this.#stand(group, standing);
    const refused = refusedEntry(workload, standing);
    if (refused !== undefined && this.#isNew(`${refused.workload} ${refused.why}`))
      journal.record({ kind: "making-room", node: this.#node, ...refused });
  }

  /** Keeps a pod from being asked to go before the first look at its workload, if that is surged. */
  #resume(pod: Pod): void {
    if (this.#standings.has(pod.uid)) return;
    const workload = this.#surged.find((one) => isOf(pod, one));
    const record = workload === undefined ? undefined : tryRecord(workload.annotations);
    if (workload !== undefined && record?.phase === "up")
      this.#standings.set(pod.uid, { kind: "waits", workload, for: [], record, surplus: true });
  }

  /** Another drain may surge the same workload at any moment. */
  #isWaiting(): boolean {
    return this.#stranded.some(({ pod }) => this.#standings.get(pod.uid)?.kind === "waits");
  }

  async putBack(): Promise<void> {
    if (this.#snapshot !== undefined) await putRoomBack(this.#snapshot.settings, this.#ports);
  }

  /** With the pods that were made elsewhere, a budget may have some to spare. */
  #awaits({ pod }: HeldPod): boolean {
    const standing = this.#standings.get(pod.uid);
    return standing !== undefined && isAwaited(standing);
  }

  async #wishesOf(namespace: string): Promise<Labels> {
    const known = this.#wishes.get(namespace);
    if (known !== undefined) return known;
    const workloads = await this.#ports.cluster.workloads();
    const read = await workloads.namespaceWishes(namespace);
    this.#wishes.set(namespace, read);
    return read;
  }

  #stand(group: readonly Stranded[], standing: RoomStanding): void {
    for (const { pod } of group) this.#standings.set(pod.uid, standing);
  }

  #isNew(words: string): boolean {
    const isNew = !this.#told.has(words);
    this.#told.add(words);
    return isNew;
  }
}

const isOf = ({ namespace, controller, labels }: Pod, workload: Workload): boolean =>
  namespace === workload.namespace &&
  controller.kind === "owner" &&
  controller.name === `${workload.name}-${labels["pod-template-hash"]}`;

const ownerOf = ({ uid, controller }: HeldPod["pod"]): string =>
  controller.kind === "none" ? uid : controller.uid;

/** Whether waiting alone does not help: the budget counts what there is, and allows nothing. */
const hasNothingToSpare = ({ budgets }: HeldPod): boolean =>
  budgets.every(({ observed, disruptionsAllowed }) => observed && disruptionsAllowed <= 0);

const goesOnAt = ({ pod }: HeldPod, snapshot: Snapshot): Instant =>
  snapshot.settings.force === "never" ? snapshot.deadline : forcedFrom(pod, snapshot);
