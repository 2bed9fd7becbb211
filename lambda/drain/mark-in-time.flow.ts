import type { Instant } from "../base/time.ts";
import { faultEntry } from "../notice/fault-entry.flow.ts";
import type { Ports } from "../registrations/ports.ts";
import { type Marked, type MarkWish, markNode } from "./mark-node.flow.ts";
import type { Node } from "./node.ts";

/** The result of marking a node while its drain has time for that. */
export type MarkedInTime =
  | Exclude<Marked, { readonly kind: "contended" }>
  /** A later pass tries it again. */
  | { readonly kind: "not yet" }
  /** The node is drained without a mark. */
  | { readonly kind: "unmarked" };

/**
 * Marks a node. If that fails, a later pass tries again, but only up to a point in time. From then on the drain goes on
 * without a mark, because the pods need the time that is left.
 */
export async function markInTime(
  node: Node,
  { until, ...wish }: MarkWish & { readonly until: Instant },
  ports: Ports,
): Promise<MarkedInTime> {
  const { clock, journal } = ports;
  try {
    const mark = await markNode(node, wish, ports);
    if (mark.kind !== "contended") return mark;
    journal.record({
      kind: "warning",
      about: `node ${node.name}`,
      warnings: ["not marked yet, for others keep writing it"],
    });
    return { kind: clock.now() < until ? "not yet" : "unmarked" };
  } catch (cause) {
    if (clock.now() < until) throw cause;
    journal.record(faultEntry(cause));
    return { kind: "unmarked" };
  }
}
