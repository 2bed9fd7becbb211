import type { NodeName } from "../base/ids.ts";
import type { Affected, MaintenanceRequest } from "./affected.flow.ts";
import { leaveTrace } from "./leave-trace.flow.ts";
import { openAgain } from "./open-again.flow.ts";

/** Tells the node of an instance that AWS has called its work off, and removes the mark that the node got for it; says which node that was. */
export async function callOff(
  one: Affected,
  { notice, ports }: MaintenanceRequest,
): Promise<readonly NodeName[] | "contended"> {
  if (one.drain.mode === "dry-run") return [];
  const node = await ports.cluster.findNode(one.instance, one.names);
  if (node === "absent") return [];
  const traced = await leaveTrace(node, { notice, waiting: notice.id }, ports);
  if (traced.kind !== "traced") return traced.kind === "contended" ? traced.kind : [];
  const opened = await openAgain(node.name, one, ports);
  if (opened === "contended") return opened;
  return opened === "opened" ? [node.name] : [];
}
