import {
  type Cause,
  isNew,
  nearestCause,
  peersCause,
  toldCause,
  tryCause,
} from "../../domain/node/cause.ts";
import {
  isCordonedByOthers,
  isExcluded,
  markingFor,
  tightening,
  tryMarkedAt,
} from "../../domain/node/marking.ts";
import type { Node, Taint } from "../../domain/node/node.ts";
import { type Instant, later, milliseconds, never, seconds, timestamp } from "../../domain/time.ts";
import { sleepFor } from "../../ports/clock.ts";
import type { Ports } from "../../ports/ports.ts";

/** The result of marking a node. */
export type Marked =
  | {
      readonly kind: "marked";
      readonly since: Instant;
      /** `just now` when this pass marked it, so that no pod has left unseen since. */
      readonly when: "just now" | "before";
      /** Why, and until when: as the pass says, or as the mark said already if that deadline is nearer. */
      readonly cause: Cause;
    }
  | { readonly kind: "gone" }
  /** Others kept writing the node, or put another one in its place; a later pass tries again. */
  | { readonly kind: "contended" };

/** How to mark a node. */
export interface MarkWish {
  readonly taints: readonly Taint[];
  /** An older mark is left from an earlier drain, for example before the instance was in a warm pool. */
  readonly notBefore: Instant;
  readonly cause: Cause;
  /** When the drain began: a deadline on the node that had passed by then does not count. */
  readonly begun: Instant;
  /** Since when the drain has its time anew, because it came too late. @default it is in time */
  readonly lateSince?: Instant;
}

const patience = seconds(5);
const pause = milliseconds(750);

/**
 * Marks a node, even while others write to it, and leaves their marks alone. A mark that is there already gets the
 * pass's reason and deadline if its own deadline is later.
 */
export async function markNode(found: Node, wish: MarkWish, ports: Ports): Promise<Marked> {
  const giveUp = later(ports.clock.now(), patience);
  let node: Reread = found;
  for (; typeof node === "object"; node = await reread(node, ports)) {
    const answer = await markOnce(node, wish, ports);
    if (answer !== "changed") return answer;
    if (ports.clock.now() >= giveUp) return { kind: "contended" };
  }
  return { kind: node === "absent" ? "gone" : "contended" };
}

type Reread = Node | "absent" | "replaced";

async function reread(node: Node, { cluster, clock }: Ports): Promise<Reread> {
  await sleepFor(pause, clock);
  const again = await cluster.node(node.name);
  return again === "absent" || again.uid === node.uid ? again : "replaced";
}

function markOnce(node: Node, wish: MarkWish, ports: Ports): Promise<Marked | "changed"> {
  const since = trySince(node, wish);
  const cause = nearestCause(wish.cause, node, wish.begun);
  return since === undefined
    ? setMark(node, { ...wish, cause }, ports)
    : tighten(node, { ...wish, since, cause }, ports);
}

function trySince(node: Node, { taints, notBefore }: MarkWish): Instant | undefined {
  const since = tryMarkedAt(node, taints);
  return since === undefined || since < notBefore ? undefined : since;
}

type Standing = Pick<Extract<Marked, { readonly kind: "marked" }>, "cause" | "since"> &
  Pick<MarkWish, "lateSince">;

async function tighten(
  node: Node,
  { since, cause, lateSince = never }: Standing,
  { cluster, journal }: Ports,
): Promise<Marked | "changed"> {
  const standing = { kind: "marked", since, when: "before", cause } as const;
  const said = toldCause(cause, node);
  if (!isNew(said, node)) return standing;
  const answer = await cluster.mark(node, () => tightening(said, lateSince));
  if (answer === "changed") return "changed";
  if (answer === "gone") return { kind: "gone" };
  const whose = lateSince === never ? markOf(node) : "late";
  journal.record({ kind: "mark-tightened", node: node.name, ...told(said), markOf: whose });
  return standing;
}

function markOf(node: Node): "drain" | "peer" | "upgrade" {
  if (tryCause(node)?.reason === "upgraded") return "upgrade";
  return isNew(peersCause, node) ? "drain" : "peer";
}

async function setMark(
  node: Node,
  { taints, cause, lateSince = never }: MarkWish,
  { cluster, clock, journal }: Ports,
): Promise<Marked | "changed"> {
  const said = toldCause(cause, node);
  const answer = await cluster.mark(node, () =>
    markingFor(node, { taints, cause: said, at: clock.now(), lateSince }),
  );
  if (answer === "changed") return "changed";
  if (answer === "gone") return { kind: "gone" };
  journal.record({
    kind: "node-marked",
    node: node.name,
    labelled: isExcluded(node) ? "theirs" : "ours",
    cordoned: isCordonedByOthers(node) ? "theirs" : "ours",
    ...told(said),
  });
  return { kind: "marked", since: clock.now(), when: "just now", cause };
}

const told = ({ reason, deadline }: Cause) => ({
  reason,
  deadline: deadline === never ? "" : timestamp(deadline),
});
