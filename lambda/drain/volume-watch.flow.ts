import { sideBySide } from "../base/side-by-side.ts";
import { earliest, type Instant, later, never } from "../base/time.ts";
import type { Wakeup } from "../base/wakeup.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import { holdingAttachments } from "./attachment.ts";
import type { AttachmentsView, DrainPorts, WantedAttachments } from "./drain.port.ts";
import type { MarkedNode } from "./marked-node.flow.ts";
import { awaitedVolumes, tryEmptiedAt } from "./marking.ts";
import type { Node } from "./node.ts";
import { mostClaims, type Pod } from "./pod.ts";
import { claimsOf, claimTitle, crowdedWithClaims, type PodClaim } from "./pod-claims.ts";
import type { Scene } from "./pod-class.ts";
import type { Volumes } from "./snapshot.ts";
import { VolumesOfNode } from "./volumes-of-node.ts";

/** The attachments that are followed, and the volumes that they are about. */
interface FollowedAttachments {
  readonly volumes: WantedAttachments["volumes"];
  readonly view: AttachmentsView;
}

/** Follows the volumes of a node, starting with the first read; it wakes the drain at every change. */
export class VolumeWatch {
  readonly #marked: MarkedNode;
  readonly #wakeup: Wakeup;
  readonly #ports: DrainPorts;
  /** The volumes of the claims that were read; empty for a claim without one. */
  readonly #seen = new VolumesOfNode();
  readonly #volumesOf = new Map<string, string>();
  #known: FollowedAttachments | undefined;
  #until: Instant = never;
  #wait: "wanted" | "forgone" = "wanted";
  #reported: "all" | "nothing" = "nothing";

  constructor(marked: MarkedNode, wakeup: Wakeup, ports: DrainPorts) {
    this.#marked = marked;
    this.#wakeup = wakeup;
    this.#ports = ports;
  }

  /**
   * Takes note of the first pods. If the node's status has fewer volumes than they have claims, a volume was attached since
   * the node was read, or a driver such as that of EFS attaches none: the node is read again, while they run.
   */
  async begin(pods: () => readonly Pod[], scene: Scene): Promise<void> {
    this.look(pods(), scene);
    if (scene.settings.volumeTimeout === 0 || !this.#seen.isShort()) return;
    const running = () => pods().filter(({ phase }) => phase === "Running");
    const before = new Set(running().map(({ uid }) => uid));
    const node = await this.#tryNode();
    if (node === "absent") return;
    // The kubelet of a pod that has ended meanwhile may have unmounted its volumes before the node was read.
    const still = running().filter(({ uid }) => before.has(uid));
    this.#seen.settle(node, still);
  }

  /** The node as it is now. A fault costs only that all attachments are followed in the end. */
  async #tryNode(): Promise<Node | "absent"> {
    const { cluster, journal } = this.#ports;
    try {
      return await cluster.node(this.#marked.node.name);
    } catch (cause) {
      journal.record(faultEntry(cause));
      return "absent";
    }
  }

  /** Takes note of the volumes that the node's status lists, and of the claims of its pods. */
  look(pods: readonly Pod[], scene: Scene): void {
    this.#seen.look(pods, scene);
  }

  /** The state of the volumes that pods have left behind. Volumes of remaining pods do not count. */
  volumes(remaining: () => readonly Pod[]): Volumes {
    const mayFind = this.#mustLook() || this.#seen.mayFind();
    if (!mayFind || this.#wait === "forgone") return { kind: "none" };
    const known = this.#known;
    if (known === undefined || this.#lacks(known)) return { kind: "unread" };
    const pods = remaining();
    if (this.#unread(pods).length > 0) return { kind: "unread" };
    return { kind: "read", attached: this.#attached(known.view, pods), until: this.#until };
  }

  /** Whether an earlier pass has waited for volumes. */
  #mustLook(): boolean {
    const { node, marked } = this.#marked;
    return tryEmptiedAt(node, marked) !== undefined;
  }

  /** Until when the drain waits for volumes; `never` if it has not begun to. */
  waitEnds(): Instant {
    if (this.#until !== never) return this.#until;
    const { node, marked } = this.#marked;
    const emptied = tryEmptiedAt(node, marked);
    return emptied === undefined ? never : waitEndsAfter(emptied, this.#marked);
  }

  /** Reads what is not known yet, and decides how long to wait for the volumes. */
  async read(remaining: readonly Pod[]): Promise<void> {
    const followed = await this.#follow();
    this.#warnOf(remaining);
    await sideBySide(this.#unread(remaining), claimsAtOnce, (claim) => this.#readVolume(claim));
    const volumes = this.#attached(followed.view, remaining);
    if (volumes.length > 0 && this.#until === never) await this.#beginWait(volumes, followed);
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
  async #follow(): Promise<FollowedAttachments> {
    const before = this.#known;
    if (before !== undefined && !this.#lacks(before)) return before;
    const { cluster } = this.#ports;
    const volumes = this.#wanted();
    const wanted = { node: this.#marked.node.name, volumes };
    const known = { volumes, view: await cluster.followAttachments(wanted, this.#wakeup) };
    before?.view.close();
    this.#known = known;
    return known;
  }

  /** An earlier pass that waited for volumes may have seen some that the node's status no longer lists. */
  #wanted(): WantedAttachments["volumes"] {
    const { node, marked } = this.#marked;
    const [before, seen] = [awaitedVolumes(node, marked), this.#seen.volumes()];
    if (before === "unknown" || seen === "unknown") return "unknown";
    return [...new Set([...before, ...seen])];
  }

  #lacks({ volumes }: FollowedAttachments): boolean {
    const wanted = this.#wanted();
    if (volumes === "unknown") return false;
    return wanted === "unknown" || wanted.some((volume) => !volumes.includes(volume));
  }

  /**
   * The volumes have their own timeout after the drain first saw the node empty, or after the deadline. If that time cannot
   * be written onto the node, later passes cannot know it, so the wait ends with this pass.
   */
  async #beginWait(volumes: readonly string[], followed: FollowedAttachments): Promise<void> {
    const found = this.#marked;
    const { whenEmptied } = await import("./when-emptied.flow.ts");
    const emptied = await whenEmptied(followed.volumes, found, this.#ports);
    this.#until = emptied === "unknown" ? found.order.passEnds : waitEndsAfter(emptied, found);
    const node = this.#marked.node.name;
    this.#ports.journal.record({ kind: "volumes-awaited", node, volumes });
  }

  /** Warns once of claims that are not looked at. */
  #warnOf(pods: readonly Pod[]): void {
    const warnings = crowdedWithClaims(pods).map(tooManyClaims);
    if (warnings.length === 0 || this.#reported === "all") return;
    this.#reported = "all";
    this.#ports.journal.record({ kind: "warning", about: "volume claims", warnings });
  }

  async #readVolume(claim: PodClaim): Promise<void> {
    const { namespace, name } = claim;
    const volume = await this.#ports.cluster.volumeOf(namespace, name);
    this.#volumesOf.set(claimTitle(claim), volume);
  }

  #unread(pods: readonly Pod[]): readonly PodClaim[] {
    return claimsOf(pods).filter((claim) => !this.#volumesOf.has(claimTitle(claim)));
  }

  #attached(view: AttachmentsView, remaining: readonly Pod[]): readonly string[] {
    const theirs = new Set(
      claimsOf(remaining).flatMap((claim) => this.#volumesOf.get(claimTitle(claim)) ?? []),
    );
    const { name } = this.#marked.node;
    return holdingAttachments(view.attachments(), name, theirs).map(({ volume }) => volume);
  }
}

const claimsAtOnce = 20;

const tooManyClaims = (namespace: string): string =>
  `pods of namespace ${namespace} name more than ${mostClaims} claims; the volumes of the others count as left behind`;

/** Until when the drain waits for the volumes of a node that it first saw empty at some time. */
const waitEndsAfter = (emptied: Instant, { order, bounds }: MarkedNode): Instant =>
  earliest(
    bounds.heldUntil,
    later(earliest(emptied, bounds.deadline), order.settings.volumeTimeout),
  );
