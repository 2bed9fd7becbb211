import type { InstanceId } from "../base/ids.ts";
import type { EventOutcome, EventPass } from "./event-outcome.ts";
import type { InterruptionPorts } from "./interruption.port.ts";
import type { InterruptionPolicy } from "./interruption-policy.ts";

/** The outcomes after which an instance goes, and its node may be left. */
const endings: readonly EventOutcome["kind"][] = [
  "drained",
  "forced",
  "expired",
  "instance-ended",
  "released-elsewhere",
];

/**
 * Lets the notice of a drain come back once after its end, to see that its node goes with the instance.
 *
 * By then its hook holds nothing any more, so the drain ignores the notice, and what is left to do is to clean up. The same
 * is true of a drain whose group was deleted before it came to an outcome, so the clean-up's outcome is recorded.
 */
export async function removeLeftNode(
  pass: EventPass,
  instance: InstanceId,
  receives: number,
  { policy, ports }: { readonly policy: InterruptionPolicy; readonly ports: InterruptionPorts },
): Promise<EventPass> {
  if (pass.kind !== "done") return pass;
  const { settings } = policy.settingsFor({});
  if (settings.removeNode === "never") return pass;
  if (endings.includes(pass.outcome.kind))
    return { kind: "comes-back", outcome: pass.outcome, wait: settings.lingers };
  if (pass.outcome.kind !== "ignored" || receives === 1) return pass;
  const { cleanUp } = await import("./clean-up.flow.ts");
  const cleaned = await cleanUp(
    { instance, receives, among: "cordoned", lingers: "as set" },
    policy,
    ports,
  );
  return cleaned.kind === "done" && cleaned.outcome.kind === "ignored" ? pass : cleaned;
}
