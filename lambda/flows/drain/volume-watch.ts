import type { Volumes } from "../../domain/drain/snapshot.ts";
import type { PodUid } from "../../domain/ids.ts";
import { holdingAttachments } from "../../domain/node/attachment.ts";
import type { Pod } from "../../domain/pod/pod.ts";
import { type Instant, never } from "../../domain/time.ts";
import type { Bell } from "../../ports/bell.ts";
import type { AttachmentsView } from "../../ports/cluster.ts";
import type { Ports } from "../../ports/ports.ts";
import type { Emptying } from "./emptying.ts";
import { volumeWaitEnds } from "./volume-wait.ts";

/** Follows the volumes of a node, starting with the first read; the bell rings at every change. */
export class VolumeWatch {
  readonly #emptying: Emptying;
  readonly #bell: Bell;
  readonly #ports: Ports;
  /** The volumes of pods that are on the node, or were. */
  readonly #volumesOf = new Map<PodUid, readonly string[]>();
  #view: AttachmentsView | undefined;
  #until: Instant = never;
  #wait: "wanted" | "forgone" = "wanted";

  constructor(emptying: Emptying, bell: Bell, ports: Ports) {
    this.#emptying = emptying;
    this.#bell = bell;
    this.#ports = ports;
  }

  /** The state of the volumes that pods have left behind. Volumes of remaining pods do not count. */
  volumes(remaining: () => readonly Pod[]): Volumes {
    if (this.#wait === "forgone") return { kind: "none" };
    if (this.#view === undefined) return { kind: "unread" };
    const pods = remaining();
    if (this.#unread(pods).length > 0) return { kind: "unread" };
    return { kind: "read", attached: this.#attached(this.#view, pods), until: this.#until };
  }

  /** Reads what is not known yet, and decides how long to wait for the volumes. */
  async read(remaining: readonly Pod[]): Promise<void> {
    this.#view ??= await this.#ports.cluster.followAttachments(this.#bell);
    await Promise.all(this.#unread(remaining).map((pod) => this.#readVolumes(pod)));
    const volumes = this.#attached(this.#view, remaining);
    if (volumes.length > 0 && this.#until === never) await this.#beginWait(volumes);
  }

  /** Stops waiting for volumes. */
  forgo(): void {
    this.#wait = "forgone";
  }

  /** Stops following the volumes. */
  close(): void {
    this.#view?.close();
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
