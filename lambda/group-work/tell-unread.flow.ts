import type { Journal } from "../notice/journal.port.ts";
import type { PassEntry } from "../notice/pass-entry.ts";
import type { ClusterNodes } from "./cluster-nodes.port.ts";

/** Logs in which namespaces pods were not read since this was last done. */
export function tellUnread({
  groupNodes,
  journal,
}: {
  readonly groupNodes: Pick<ClusterNodes, "unreadNamespaces">;
  readonly journal: Journal<PassEntry>;
}): void {
  const namespaces = groupNodes.unreadNamespaces();
  if (namespaces.length === 0) return;
  const warnings = namespaces.map(unreadText);
  journal.record({ kind: "warning", about: "pods that were not read", warnings });
}

/** The facts that are missing if the pods of a namespace were not read. */
const unreadText = (namespace: string): string =>
  `namespace ${namespace} has too many pods, or too large ones: its pods ask for nothing, wait for nothing, and find a place`;
