import type { Bell } from "../base/bell.ts";
import type { PodUid } from "../base/ids.ts";
import { type Instant, never } from "../base/time.ts";
import type { Ports } from "../registrations/ports.ts";
import { holdingAttachments } from "./attachment.ts";
import type { AttachmentsView, WantedAttachments } from "./cluster.port.ts";
import type { Emptying } from "./emptying.flow.ts";
import { tryEmptiedAt } from "./marking.ts";
import type { Pod } from "./pod.ts";
import type { Volumes } from "./snapshot.ts";
import type { VolumeSight } from "./volume-sight.flow.ts";
import { volumeWaitEnds, waitEndsAfter } from "./volume-wait.flow.ts";

/** What a volume watch needs of its pass. */
export interface WatchTools {
  readonly sight: VolumeSight;
  readonly bell: Bell;
}

/** The attachments that are followed, and the volumes that they are about. */
interface Known {
  readonly volumes: WantedAttachments["volumes"];
  readonly view: AttachmentsView;
}

/** Follows the volumes of a node, starting with the first read; the bell rings at every change. */
export class VolumeWatch {
  readonly #emptying: Emptying;
  readonly #tools: WatchTools;
  readonly #ports: Ports;
  /** The volumes of pods that are on the node, or were. */
  readonly #volumesOf = new Map<PodUid, readonly string[]>();
  #known: Known | undefined;
  #until: Instant = never;
  #wait: "wanted" | "forgone" = "wanted";

  constructor(emptying: Emptying, tools: WatchTools, ports: Ports) {
    this.#emptying = emptying;
    this.#tools = tools;
    this.#ports = ports;
  }

  /** The state of the volumes that pods have left behind. Volumes of remaining pods do not count. */
  volumes(remaining: () => readonly Pod[]): Volumes {
    if (this.#wait === "forgone") return { kind: "none" };
    const known = this.#known;
    if (known === undefined || this.#lacks(known)) return { kind: "unread" };
    const pods = remaining();
    if (this.#unread(pods).length > 0) return { kind: "unread" };
    return { kind: "read", attached: this.#attached(known.view, pods), until: this.#until };
  }

  /** Whether an earlier pass has waited for volumes. */
  mustLook(): boolean {
    const { node, marked } = this.#emptying;
    return tryEmptiedAt(node, marked) !== undefined;
  }

  /** Until when the drain waits for volumes; `never` if it has not begun to. */
  waitEnds(): Instant {
    if (this.#until !== never) return this.#until;
    const { node, marked } = this.#emptying;
    const emptied = tryEmptiedAt(node, marked);
    return emptied === undefined ? never : waitEndsAfter(emptied, this.#emptying);
  }

  /** Reads what is not known yet, and decides how long to wait for the volumes. */
  async read(remaining: readonly Pod[]): Promise<void> {
    const { view } = await this.#follow();
    await Promise.all(this.#unread(remaining).map((pod) => this.#readVolumes(pod)));
    const volumes = this.#attached(view, remaining);
    if (volumes.length > 0 && this.#until === never) await this.#beginWait(volumes);
  }

  /** Stops waiting for volumes. */
  forgo(): void {
    this.#wait = "forgone";
  }

  /** Stops following the volumes. */
  close(): void {
    this.#known?.view.close();
  }

  /** Follows what is wanted by now; what was followed before ends only then, so that others who follow it keep it. */
  async #follow(): Promise<Known> {
    const before = this.#known;
    if (before !== undefined && !this.#lacks(before)) return before;
    const { cluster } = this.#ports;
    const volumes = this.#wanted();
    const wanted = { node: this.#emptying.node.name, volumes };
    const known = { volumes, view: await cluster.followAttachments(wanted, this.#tools.bell) };
    before?.view.close();
    this.#known = known;
    return known;
  }

  /** An earlier pass that waited for volumes may have seen some that the node's status no longer lists. */
  #wanted(): WantedAttachments["volumes"] {
    return this.mustLook() ? "unknown" : this.#tools.sight.volumes();
  }

  #lacks({ volumes }: Known): boolean {
    const wanted = this.#wanted();
    if (volumes === "unknown") return false;
    return wanted === "unknown" || wanted.some((volume) => !volumes.includes(volume));
  }

  async #beginWait(volumes: readonly string[]): Promise<void> {
    this.#until = await volumeWaitEnds(this.#emptying, this.#ports);
    const node = this.#emptying.node.name;
    this.#ports.journal.record({ kind: "volumes-awaited", node, volumes });
  }

  async #readVolumes(pod: Pod): Promise<void> {
    this.#volumesOf.set(pod.uid, await this.#ports.cluster.volumesOf(pod));
  }

  #unread(pods: readonly Pod[]): readonly Pod[] {
    return pods.filter(({ uid }) => !this.#volumesOf.has(uid));
  }

  #attached(view: AttachmentsView, remaining: readonly Pod[]): readonly string[] {
    const theirs = new Set(remaining.flatMap(({ uid }) => this.#volumesOf.get(uid) ?? []));
    const { name } = this.#emptying.node;
    return holdingAttachments(view.attachments(), name, theirs).map(({ volume }) => volume);
  }
}
