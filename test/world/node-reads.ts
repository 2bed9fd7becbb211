import type { AuditEvent } from "../../sandbox/kubernetes/api/audit-trail.ts";
import type { VirtualWorld } from "./virtual-world.ts";

/** The names of the nodes that each answered request has read, by a list of some or by themselves, in the order of the answers. */
export const nodeReadsIn = ({ cluster }: VirtualWorld): readonly (readonly string[])[] =>
  cluster.audit
    .filter(({ objectRef }) => objectRef?.resource === "nodes")
    .map(namesRead)
    .filter(({ length }) => length > 0);

function namesRead({ verb, objectRef, requestURI }: AuditEvent): readonly string[] {
  if (verb === "get") return [objectRef?.name ?? ""];
  const { searchParams } = new URL(requestURI, "https://cluster");
  // The other names of an instance begin with its ID.
  return searchParams.get("labelSelector")?.match(/ip-[^,)]+/g) ?? [];
}
