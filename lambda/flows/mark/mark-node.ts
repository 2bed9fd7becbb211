import { isExcluded, markingFor, tryMarkedAt } from "../../domain/node/marking.ts";
import type { Node, Taint } from "../../domain/node/node.ts";
import { type Instant, later, milliseconds, seconds } from "../../domain/time.ts";
import { Bell } from "../../ports/bell.ts";
import type { Ports } from "../../ports/ports.ts";

/** The result of marking a node. */
export type Marked =
  | {
      readonly kind: "marked";
      readonly since: Instant;
      /** `just now` when this pass marked it, so that no pod has left unseen since. */
      readonly when: "just now" | "before";
    }
  | { readonly kind: "gone" }
  /** Others kept writing the node, or put another one in its place; a later pass tries again. */
  | { readonly kind: "contended" };

/** How to mark a node. */
export interface MarkWish {
  readonly taints: readonly Taint[];
  /** An older mark is left from an earlier drain, for example before the instance was in a warm pool. */
  readonly notBefore: Instant;
}

const patience = seconds(5);
const pause = milliseconds(750);

/** Marks a node, even while others write to it, and leaves their marks alone. */
export async function markNode(found: Node, wish: MarkWish, ports: Ports): Promise<Marked> {
  const giveUp = later(ports.clock.now(), patience);
  let node: Reread = found;
  for (; typeof node === "object"; node = await reread(node, ports)) {
    const since = trySince(node, wish);
    const answer =
      since === undefined ? await markOnce(node, wish.taints, ports) : marked(since, "before");
    if (answer !== "changed") return answer;
    if (ports.clock.now() >= giveUp) return { kind: "contended" };
  }
  return { kind: node === "absent" ? "gone" : "contended" };
}

function trySince(node: Node, { taints, notBefore }: MarkWish): Instant | undefined {
  const since = tryMarkedAt(node, taints);
  return since === undefined || since < notBefore ? undefined : since;
}

type Reread = Node | "absent" | "replaced";

async function reread(node: Node, { cluster, clock }: Ports): Promise<Reread> {
  await clock.sleep(later(clock.now(), pause), new Bell());
  const again = await cluster.node(node.name);
  return again === "absent" || again.uid === node.uid ? again : "replaced";
}

const marked = (since: Instant, when: "just now" | "before"): Marked => ({
  kind: "marked",
  since,
  when,
});

async function markOnce(
  node: Node,
  taints: readonly Taint[],
  { cluster, clock, journal }: Ports,
): Promise<Marked | "changed"> {
  const answer = await cluster.mark(node, () => markingFor(node, taints, clock.now()));
  if (answer === "changed") return "changed";
  if (answer === "gone") return { kind: "gone" };
  journal.record({
    kind: "node-marked",
    node: node.name,
    labelled: isExcluded(node) ? "theirs" : "ours",
    cordoned: node.unschedulable ? "theirs" : "ours",
  });
  return marked(clock.now(), "just now");
}
