import { sideBySide } from "../base/side-by-side.ts";
import { earliest, type Instant, later, never, seconds, timestamp } from "../base/time.ts";
import type { Wakeup } from "../base/wakeup.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import { holdingAttachments } from "./attachment.ts";
import type { AttachmentsView, DrainPorts, WantedAttachments } from "./drain.port.ts";
import type { MarkedNode } from "./marked-node.flow.ts";
import { emptiedAtAnnotation, tryEmptiedAt, unchanged } from "./marking.ts";
import { overOthers } from "./over-others.flow.ts";
import { mostClaims, type Pod } from "./pod.ts";
import { claimsOf, claimTitle, crowdedWithClaims, type PodClaim } from "./pod-claims.ts";
import { type Scene, staysWithNode } from "./pod-class.ts";
import type { Volumes } from "./snapshot.ts";

/** The volumes of a node, as a pass has seen them. */
class VolumesOfNode {
  readonly #volumes = new Set<string>();
  readonly #claims = new Set<string>();
  #left: "some" | "none" = "none";

  /** Looks at the node's status and at its pods. */
  look(pods: readonly Pod[], scene: Scene): void {
    for (const volume of scene.node.volumes) this.#volumes.add(volume);
    for (const pod of pods) {
      for (const claim of pod.claims) this.#claims.add(`${pod.namespace}/${claim}`);
      if (pod.claims.length > 0 && !staysWithNode(pod, scene)) this.#left = "some";
    }
  }

  /** Whether volumes may be left behind: a pod that leaves has claims, or the node's status lists volumes. */
  mayFind(): boolean {
    return this.#left === "some" || this.#volumes.size > 0;
  }

  /**
   * The volumes by the names in the node's status; `unknown` if there are more claims than that. A volume that was
   * attached after the node was read is one reason.
   *
   * A volume stays in the status until its pod's kubelet has unmounted it. Kubernetes takes it out before the driver
   * begins to detach it, so a volume that has been seen once counts until the pass ends.
   * @see https://github.com/kubernetes/kubernetes/blob/master/pkg/controller/volume/attachdetach/reconciler/reconciler.go
   */
  volumes(): readonly string[] | "unknown" {
    return this.#claims.size > this.#volumes.size ? "unknown" : [...this.#volumes];
  }
}

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
    const { view } = await this.#follow();
    this.#warnOf(remaining);
    await sideBySide(this.#unread(remaining), claimsAtOnce, (claim) => this.#readVolume(claim));
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
    return this.#mustLook() ? "unknown" : this.#seen.volumes();
  }

  #lacks({ volumes }: FollowedAttachments): boolean {
    const wanted = this.#wanted();
    if (volumes === "unknown") return false;
    return wanted === "unknown" || wanted.some((volume) => !volumes.includes(volume));
  }

  async #beginWait(volumes: readonly string[]): Promise<void> {
    this.#until = await volumeWaitEnds(this.#marked, this.#ports);
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

/**
 * Until when the drain waits for the volumes of a node: their own timeout after the drain first saw the node empty, or
 * after the deadline. If that time cannot be written onto the node, later passes cannot know it, so the wait ends with
 * this pass.
 */
async function volumeWaitEnds(found: MarkedNode, ports: DrainPorts): Promise<Instant> {
  const now = ports.clock.now();
  const emptied = await overOthers(() => tryNote(now, found, ports), ports.clock);
  return typeof emptied === "string" ? found.order.passEnds : waitEndsAfter(emptied, found);
}

/** Until when the drain waits for the volumes of a node that it first saw empty at some time. */
const waitEndsAfter = (emptied: Instant, { order, bounds }: MarkedNode): Instant =>
  earliest(
    bounds.heldUntil,
    later(earliest(emptied, bounds.deadline), order.settings.volumeTimeout),
  );

// A fault may pass, like a conflict with another write. A pass that is over does not wait for that.
const noteRetriesFor = seconds(5);

async function tryNote(now: Instant, found: MarkedNode, ports: DrainPorts) {
  const { clock, journal } = ports;
  try {
    return await emptiedAt(now, found, ports);
  } catch (cause) {
    journal.record(faultEntry(cause));
    return clock.now() < later(found.order.passEnds, noteRetriesFor) ? "changed" : "unknown";
  }
}

/** When a pass first saw the node empty. The time is written onto the node, so that the next pass knows it. */
async function emptiedAt(
  now: Instant,
  { node: { name }, marked }: MarkedNode,
  { cluster }: DrainPorts,
): Promise<Instant | "changed"> {
  const node = await cluster.node(name);
  if (node === "absent") return now;
  const known = tryEmptiedAt(node, marked);
  if (known !== undefined) return known;
  const annotations = { [emptiedAtAnnotation]: timestamp(now) };
  const answer = await cluster.mark(node, () => ({ ...unchanged, annotations }));
  return answer === "changed" ? answer : now;
}
