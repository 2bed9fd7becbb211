import type { Node } from "../../domain/node/node.ts";
import { type Instant, timestamp } from "../../domain/time.ts";
import type { Ports } from "../../ports/ports.ts";

/** Tells that a pass began too late, and until when its drain goes on all the same. */
export function tellLate(
  { name: node }: Pick<Node, "name">,
  until: Instant,
  { journal }: Pick<Ports, "journal">,
): void {
  journal.record({ kind: "drain-late", node, deadline: timestamp(until) });
}
