import type { Node } from "../../domain/node/node.ts";
import type { Instant } from "../../domain/time.ts";
import type { Ports } from "../../ports/ports.ts";
import { faultEntry } from "../fault-entry.ts";
import { type Marked, type MarkWish, markNode } from "./mark-node.ts";

/** How a drain stands to the mark of its node. */
export type MarkedInTime =
  | Exclude<Marked, { readonly kind: "contended" }>
  /** A later pass will try it again. */
  | { readonly kind: "not yet" }
  /** It is drained without. */
  | { readonly kind: "unmarked" };

/** Marks a node; what keeps it from that counts only until some time, for then its pods need what is left. */
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
