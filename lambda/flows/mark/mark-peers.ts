import type { InstanceId } from "../../domain/ids.ts";
import { runsOn } from "../../domain/node/node.ts";
import type { Ports } from "../../ports/ports.ts";
import { faultEntry } from "../fault-entry.ts";
import { type MarkWish, markNode } from "./mark-node.ts";

/**
 * Marks the nodes of other instances that will terminate soon, so that no evicted pod lands on them.
 *
 * Errors go to the journal, and the drain goes on all the same.
 */
export async function markPeers(
  peers: readonly InstanceId[],
  wish: MarkWish,
  ports: Ports,
): Promise<void> {
  if (peers.length === 0) return;
  try {
    const nodes = await ports.cluster.nodes();
    const theirs = nodes.filter((node) => peers.some((peer) => runsOn(node, peer)));
    await Promise.all(theirs.map((node) => markNode(node, wish, ports)));
  } catch (cause) {
    ports.journal.record({ ...faultEntry(cause), retryable: true });
  }
}
