import { sleepFor } from "../base/clock.port.ts";
import { type Instant, later, seconds } from "../base/time.ts";
import type { Pod } from "../drain/pod.ts";
import type { KnownSurges } from "./known-surges.ts";
import type { RoomPorts, Workloads } from "./making-room.port.ts";
import { recordAnnotation, surgeAt } from "./record.ts";
import { isJustChanged } from "./recount.ts";
import type { WorkloadMetadata } from "./workload.ts";

const longestUnread = seconds(15);
const unreadRest = seconds(1);

/** The clock, the surges that the process knows, and the cluster as far as pods to evict are looked up in it. */
interface HoldPorts extends Pick<RoomPorts, "clock"> {
  readonly known: Pick<KnownSurges, "misses">;
  readonly cluster: { workloads(): Promise<Pick<Workloads, "makerOf">> };
}

/** A pod whose eviction is about to be requested. */
export interface PodToEvict {
  readonly pod: Pod;
  /** Whether its budgets are known by now. */
  readonly isKnown: () => boolean;
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

  constructor(ports: HoldPorts) {
    this.#ports = ports;
  }

  /**
   * The workload that holds its pod back until a moment: one that is surged, until a look finds that nothing is to be waited
   * for, or one whose count has just gone back, whatever a look finds.
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

  /** Tries again for a while where nobody can read the workload or its budgets: their controller is late then, too. */
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
    const { clock, cluster, known } = this.#ports;
    const workloads = await cluster.workloads().catch(unread);
    if (workloads === "unread") return workloads;
    const maker = await workloads.makerOf(asked.pod);
    if (typeof maker === "string") return maker;
    if (!this.#isSurged(maker, asked.pod) && !isJustChanged(maker, clock.now()))
      return known.misses(maker, clock.now()) ? "unread" : "none";
    // No later look is at a pod whose budgets nobody knows, so that its eviction itself waits.
    return asked.isKnown() ? maker : "unread";
  }

  #isSurged(maker: WorkloadMetadata, pod: Pod): boolean {
    const owner = ownerOf(pod);
    const surge = titleOf(maker);
    if (surgeAt(this.#ports.clock.now(), maker.annotations) === undefined) return false;
    if (this.#judged.get(owner) === surge) return false;
    this.#last.set(owner, surge);
    return true;
  }
}

const unread = () => "unread" as const;

const titleOf = ({ annotations }: WorkloadMetadata): string => annotations[recordAnnotation] ?? "";

/** What has made a pod. Anybody may write the UID of another namespace's ReplicaSet into the pods of their own. */
export const ownerOf = ({ namespace, uid, controller }: Pod): string =>
  `${namespace}/${controller.kind === "none" ? uid : controller.uid}`;
