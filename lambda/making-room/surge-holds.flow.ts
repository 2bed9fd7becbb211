import { sleepFor } from "../base/clock.port.ts";
import { type Instant, later, seconds } from "../base/time.ts";
import type { Pod } from "../drain/pod.ts";
import type { RoomPorts } from "./making-room.port.ts";
import { isJustBack } from "./next-room-step.ts";
import { recordAnnotation } from "./record.ts";
import type { SurgedWorkload } from "./workload.ts";

const longestUnread = seconds(15);
const unreadRest = seconds(1);

/**
 * The surges that hold pods back, each found directly before the eviction of a pod. A budget may still count a pod that has
 * gone, and would let another one go too.
 */
export class SurgeHolds {
  readonly #ports: Pick<RoomPorts, "clock" | "cluster">;
  /** The last surge of each workload that has held a pod back. */
  readonly #last = new Map<string, string>();
  readonly #judged = new Map<string, string>();
  readonly #unreadUntil = new Map<string, Instant>();

  constructor(ports: Pick<RoomPorts, "clock" | "cluster">) {
    this.#ports = ports;
  }

  /**
   * The surge that holds a pod back until a moment: one that is under way, until a look finds that nothing is to be waited for,
   * or one whose count has just gone back, whatever a look finds.
   */
  async over(pod: Pod, until: Instant): Promise<SurgedWorkload | "none"> {
    const surge = await this.#read(pod, until);
    const now = this.#ports.clock.now();
    if (surge === "none" || now >= until) return "none";
    const owner = ownerOf(pod);
    if (this.#judged.get(owner) === titleOf(surge) && !isJustBack(surge, now)) return "none";
    this.#last.set(owner, titleOf(surge));
    return surge;
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
  async #read(pod: Pod, until: Instant): Promise<SurgedWorkload | "none"> {
    const { clock, cluster } = this.#ports;
    while (clock.now() < until) {
      const surge = await cluster.workloads().then((workloads) => workloads.surgeOf(pod), unread);
      if (surge !== "unread") return surge;
      const ends = this.#unreadUntil.get(ownerOf(pod)) ?? later(clock.now(), longestUnread);
      this.#unreadUntil.set(ownerOf(pod), ends);
      if (clock.now() >= ends) break;
      await sleepFor(unreadRest, clock);
    }
    return "none";
  }
}

const unread = () => "unread" as const;

const titleOf = ({ annotations, countedAt }: SurgedWorkload): string =>
  `${countedAt} ${annotations[recordAnnotation]}`;

/** What has made a pod. Anybody may write the UID of another namespace's ReplicaSet into the pods of their own. */
export const ownerOf = ({ namespace, uid, controller }: Pod): string =>
  `${namespace}/${controller.kind === "none" ? uid : controller.uid}`;
