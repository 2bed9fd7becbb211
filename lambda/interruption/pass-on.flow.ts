import type { InstanceId } from "../base/ids.ts";
import { tracesOn } from "../drain/maintenance-trace.ts";
import type { Node } from "../drain/node.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import type { Ports } from "../registrations/ports.ts";
import type { Affected, MaintenanceRequest } from "./affected.flow.ts";
import { leaveTrace, type TraceWish } from "./leave-trace.flow.ts";
import { standingOf } from "./maintenance-standing.ts";

/**
 * Sends a notice of its own about an affected instance, unless its node knows of the work already; says which instances
 * have such a notice now.
 *
 * The notice is sent before its trace is left, so that a crash between the two loses none. The next pass then sends
 * another one, and the one that the trace does not name ends by itself.
 */
export async function passOn(
  { instance, names, drain }: Affected,
  { notice, ports }: MaintenanceRequest,
): Promise<readonly InstanceId[]> {
  const node = await ports.cluster.findNode(instance, names);
  if (node === "absent") return [];
  if (standingOf(notice, tracesOn(node)).kind !== "news") return [instance];
  const waiting = await ports.outbox.send({ ...notice, instances: [instance] });
  // A dry run changes nothing in the cluster.
  if (drain.mode !== "dry-run") await tryLeavingTrace(node, { notice, waiting }, ports);
  return [instance];
}

/** Leaves the trace of a notice that was sent. If that fails, the notice leaves it itself, so it is not sent once more. */
async function tryLeavingTrace(node: Node, wish: TraceWish, ports: Ports): Promise<void> {
  try {
    await leaveTrace(node, wish, ports);
  } catch (cause) {
    ports.journal.record({ ...faultEntry(cause), retryable: true });
  }
}
