import { sleepFor } from "../base/clock.port.ts";
import { type Instant, later, milliseconds, never, seconds, timestamp } from "../base/time.ts";
import {
  type Cause,
  causeOfMark,
  isNew,
  nearestCause,
  peersCause,
  staysNearer,
  tryMarksOpener,
} from "./cause.ts";
import type { DrainPorts } from "./drain.port.ts";
import {
  type EvictionLease,
  evictsUntil,
  newLease,
  tryLease,
  withLease,
} from "./eviction-lease.ts";
import {
  isCordonedByOthers,
  isExcluded,
  type Marking,
  markingFor,
  tightening,
  tryMarkedAt,
} from "./marking.ts";
import type { Node, Taint } from "./node.ts";
import { othersLeaseEnds } from "./others-lease.flow.ts";
import type { Reasons } from "./reason.ts";

/** The result of marking a node. */
export type Marked =
  | {
      readonly kind: "marked";
      readonly since: Instant;
      /** `just now` when this pass marked it, so that no pod has left unseen since. */
      readonly when: "just now" | "before";
      /** The cause and the deadline: those of the pass, or those of the mark if its deadline is earlier. */
      readonly cause: Cause;
      /** Until when this process may evict the node's pods; in the past if another process has the lease. */
      readonly evictsUntil: Instant;
    }
  | { readonly kind: "gone" }
  /** Others kept writing the node, or put another one in its place; a later pass tries again. */
  | { readonly kind: "contended" };

/** The request to mark a node. */
export interface MarkRequest {
  readonly taints: readonly Taint[];
  /** An older mark is left from an earlier drain, for example before the instance was in a warm pool. */
  readonly notBefore: Instant;
  readonly cause: Cause;
  /** When the drain began: a deadline on the node that had passed by then does not count. */
  readonly begun: Instant;
  /** The new beginning of a drain's time, because it came too late. @default it is in time */
  readonly lateSince?: Instant;
  /** `later` if an earlier pass of the same notice may have written the mark. @default "first" */
  readonly pass?: "first" | "later";
  /** `take` if this process is to evict the node's pods. */
  readonly lease: "leave" | "take";
}

const conflictsFor = seconds(5);
const pause = milliseconds(750);

/**
 * Marks a node, even while others write to it, and leaves their marks alone. A mark that is there already gets the
 * pass's reason and deadline if its own deadline is later.
 */
export async function markNode(found: Node, wish: MarkRequest, ports: DrainPorts): Promise<Marked> {
  const giveUp = later(ports.clock.now(), conflictsFor);
  let node: Reread = found;
  for (; typeof node === "object"; node = await reread(node, ports)) {
    const answer = await markOnce(node, wish, ports);
    if (answer !== "changed") return answer;
    if (ports.clock.now() >= giveUp) return { kind: "contended" };
  }
  return { kind: node === "absent" ? "gone" : "contended" };
}

type Reread = Node | "absent" | "replaced";

async function reread(node: Node, { cluster, clock }: DrainPorts): Promise<Reread> {
  await sleepFor(pause, clock);
  const again = await cluster.node(node.name);
  return again === "absent" || again.uid === node.uid ? again : "replaced";
}

function markOnce(node: Node, wish: MarkRequest, ports: DrainPorts): Promise<Marked | "changed"> {
  const since = trySince(node, wish);
  const cause = nearestCause(wish.cause, node, wish.begun, ports.reasons);
  return since === undefined
    ? setMark(node, { ...wish, cause }, ports)
    : tighten(node, { ...wish, since, cause }, ports);
}

function trySince(node: Node, { taints, notBefore }: MarkRequest): Instant | undefined {
  const since = tryMarkedAt(node, taints);
  return since === undefined || since < notBefore ? undefined : since;
}

/** The lease of the node once it is written: this process's if it wishes one and no other has its own. */
function leaseAt(node: Node, wished: MarkRequest["lease"], ports: DrainPorts) {
  const now = ports.clock.now();
  const isFree = wished === "take" && othersLeaseEnds(node, ports) <= now;
  return isFree ? newLease(ports.process, now) : undefined;
}

const including = (marking: Marking, lease: EvictionLease | undefined): Marking =>
  lease === undefined ? marking : withLease(marking, lease);

async function tighten(
  node: Node,
  {
    since,
    cause,
    lease: wished,
    lateSince = never,
    pass = "first",
  }: Pick<MarkRequest, "cause" | "lateSince" | "lease" | "pass"> & { readonly since: Instant },
  ports: DrainPorts,
): Promise<Marked | "changed"> {
  const { cluster, journal, process, reasons } = ports;
  const standing = { kind: "marked", since, when: "before", cause } as const;
  const said = causeOfMark(cause, node, reasons);
  if (!isNew(said, node) || (pass === "later" && staysNearer(said, node, reasons)))
    return { ...standing, evictsUntil: evictsUntil(tryLease(node), process) };
  const lease = leaseAt(node, wished, ports);
  const answer = await cluster.mark(node, () => including(tightening(said, lateSince), lease));
  if (answer === "changed") return "changed";
  if (answer === "gone") return { kind: "gone" };
  const whose = lateSince === never ? markOf(node, reasons) : "late";
  journal.record({ kind: "mark-tightened", node: node.name, ...fieldsOf(said), markOf: whose });
  return { ...standing, evictsUntil: evictsUntil(lease, process) };
}

function markOf(node: Node, reasons: Reasons): string {
  const own = isNew(peersCause, node) ? "drain" : "peer";
  return tryMarksOpener(node, reasons)?.called ?? own;
}

async function setMark(
  node: Node,
  { taints, cause, lease: wished, lateSince = never }: MarkRequest,
  ports: DrainPorts,
): Promise<Marked | "changed"> {
  const { cluster, clock, journal, process, reasons } = ports;
  const said = causeOfMark(cause, node, reasons);
  const lease = leaseAt(node, wished, ports);
  const answer = await cluster.mark(node, () =>
    including(markingFor(node, { taints, cause: said, at: clock.now(), lateSince }), lease),
  );
  if (answer === "changed") return "changed";
  if (answer === "gone") return { kind: "gone" };
  journal.record({
    kind: "node-marked",
    node: node.name,
    labelled: isExcluded(node) ? "theirs" : "ours",
    cordoned: isCordonedByOthers(node, reasons) ? "theirs" : "ours",
    ...fieldsOf(said),
  });
  const until = evictsUntil(lease, process);
  return { kind: "marked", since: clock.now(), when: "just now", cause, evictsUntil: until };
}

const fieldsOf = ({ reason, deadline }: Cause) => ({
  reason,
  deadline: deadline === never ? "" : timestamp(deadline),
});
