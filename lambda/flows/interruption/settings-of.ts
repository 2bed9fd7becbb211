import type { EventAdmission } from "../../domain/notice/event-admission.ts";
import type {
  InterruptionPolicy,
  InterruptionSettings,
} from "../../domain/notice/interruption-policy.ts";
import type { Ports } from "../../ports/ports.ts";

/** The settings of an admitted instance's group; says which of the group's tags do not count. */
export function settingsOf(
  { group, tags }: Extract<EventAdmission, { readonly kind: "admitted" }>,
  policy: InterruptionPolicy,
  { journal }: Pick<Ports, "journal">,
): InterruptionSettings {
  const found = policy.settingsFor(tags);
  const { refused: warnings } = found;
  if (warnings.length > 0) journal.record({ kind: "warning", about: `group ${group}`, warnings });
  return found;
}
