import type { GroupName } from "../base/ids.ts";
import type { PassPorts } from "./notice.port.ts";

/** The settings of a group as they were found; the journal gets the reasons why some of its tags do not count. */
export function logRefused<Found extends { readonly refused: readonly string[] }>(
  found: Found,
  group: GroupName,
  { journal }: Pick<PassPorts, "journal">,
): Found {
  if (found.refused.length > 0)
    journal.record({ kind: "warning", about: `group ${group}`, warnings: found.refused });
  return found;
}
