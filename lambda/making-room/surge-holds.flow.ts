import { answeredBy } from "../base/answered-by.ts";
import { sleepFor } from "../base/clock.port.ts";
import { type Instant, later, seconds } from "../base/time.ts";
import type { Budget } from "../drain/budget.ts";
import type { Pod } from "../drain/pod.ts";
import type { RoomPorts, Workloads } from "./making-room.port.ts";
import { recordAnnotation, surgeAt } from "./record.ts";
import { isAhead, isJustBack, isJustCounted } from "./recount.ts";
import type { WorkloadMetadata } from "./workload.ts";

const longestUnread = seconds(15);
const unreadRest = seconds(1);
const longestCount = seconds(3);

/** The clock, and the cluster as far as pods to evict are looked up in it. */
interface HoldPorts extends Pick<RoomPorts, "clock"> {
  readonly cluster: { workloads(): Promise<Pick<Workloads, "makerOf" | "podsUnder">> };
}

/** A pod whose eviction is about to be requested, with the budgets that select it. */
export interface PodToEvict {
  readonly pod: Pod;
  readonly budgets: readonly Budget[];
  /** When it is forced all the same. */
  readonly until: Instant;
}

/**
 * The surges that hold pods back, each found directly before the eviction of a pod. A budget may still count a pod that has
 * gone, and would let another one go too.
 */
export class SurgeHolds {
  readonly #ports: HoldPorts;
  /** The last surge of each workload that has held a pod back. */
  readonly #last = new Map<string, string>();
  readonly #judged = new Map<string, string>();
  readonly #unreadUntil = new Map<string, Instant>();
  /** The last time at which somebody had written a count that the budgets of its pods have counted since. */
  readonly #recounted = new Map<string, Instant>();

  constructor(ports: HoldPorts) {
    this.#ports = ports;
  }

  /**
   * The workload that holds its pod back until a moment: one that is surged, until a look finds that nothing is to be waited
   * for; one whose count has just gone back, whatever a look finds; or one whose count somebody else has just written, as
   * long as a budget counts more pods than are ready.
   */
  async over(asked: PodToEvict): Promise<WorkloadMetadata | "none"> {
    const found = await this.#read(asked);
    return this.#ports.clock.now() < asked.until ? found : "none";
  }

  /** The last surge of an owner that has held a pod back; empty if none has. */
  last(owner: string): string {
    return this.#last.get(owner) ?? "";
  }

  /** Notes that a look which began after this surge was found waits for nothing. */
  judge(owner: string, surge: string): void {
    this.#judged.set(owner, surge);
  }

  /** Tries again for a while where nobody can read the workload: the controller of its budget is late then, too. */
  async #read(asked: PodToEvict): Promise<WorkloadMetadata | "none"> {
    const { clock } = this.#ports;
    const owner = ownerOf(asked.pod);
    while (clock.now() < asked.until) {
      const found = await this.#look(asked);
      if (found !== "unread") return found;
      const ends = this.#unreadUntil.get(owner) ?? later(clock.now(), longestUnread);
      this.#unreadUntil.set(owner, ends);
      if (clock.now() >= ends) break;
      await sleepFor(unreadRest, clock);
    }
    return "none";
  }

  async #look(asked: PodToEvict): Promise<WorkloadMetadata | "none" | "unread"> {
    const { clock, cluster } = this.#ports;
    const workloads = await cluster.workloads().catch(unread);
    if (workloads === "unread") return workloads;
    const maker = await workloads.makerOf(asked.pod);
    if (typeof maker === "string") return maker;
    if (isJustBack(maker, clock.now()) || this.#isSurged(maker, asked)) return maker;
    return this.#counted(maker, asked, workloads);
  }

  #isSurged(maker: WorkloadMetadata, { pod }: PodToEvict): boolean {
    const owner = ownerOf(pod);
    const surge = titleOf(maker);
    if (surgeAt(this.#ports.clock.now(), maker.annotations) === undefined) return false;
    if (this.#judged.get(owner) === surge) return false;
    this.#last.set(owner, surge);
    return true;
  }

  async #counted(
    maker: WorkloadMetadata,
    { pod, budgets }: PodToEvict,
    workloads: Pick<Workloads, "podsUnder">,
  ): Promise<WorkloadMetadata | "none" | "unread"> {
    const { clock } = this.#ports;
    const owner = ownerOf(pod);
    if (!isJustCounted(maker, clock.now()) || this.#recounted.get(owner) === maker.countedAt)
      return "none";
    const ends = later(clock.now(), longestCount);
    const read = Promise.all(budgets.map((one) => isAheadOf(one, workloads)));
    const ahead = await answeredBy(ends, read.catch(unread), clock);
    if (ahead === "unanswered" || ahead === "unread") return "unread";
    if (ahead.includes(true)) return maker;
    this.#recounted.set(owner, maker.countedAt);
    return "none";
  }
}

/** Whether a budget counts more pods than are ready; not where nobody knows its pods, as no surge is made there. */
async function isAheadOf(
  budget: Budget,
  workloads: Pick<Workloads, "podsUnder">,
): Promise<boolean> {
  const pods = await workloads.podsUnder(budget);
  return typeof pods !== "string" && isAhead(budget, pods);
}

const unread = () => "unread" as const;

const titleOf = ({ annotations, countedAt }: WorkloadMetadata): string =>
  `${countedAt} ${annotations[recordAnnotation]}`;

/** What has made a pod. Anybody may write the UID of another namespace's ReplicaSet into the pods of their own. */
export const ownerOf = ({ namespace, uid, controller }: Pod): string =>
  `${namespace}/${controller.kind === "none" ? uid : controller.uid}`;
