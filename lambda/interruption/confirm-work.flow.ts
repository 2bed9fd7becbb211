import { longest, never, seconds } from "../base/time.ts";
import { isMarkedFor } from "../drain/cause.ts";
import type { Node } from "../drain/node.ts";
import { faultEntry } from "../notice/journal-of.flow.ts";
import { ignored } from "../notice/outcome.ts";
import type { Affected, MaintenanceRequest } from "./affected.flow.ts";
import type { EventPass } from "./event-outcome.ts";
import type { InterruptionPorts } from "./interruption.port.ts";
import { restBefore } from "./maintenance-bounds.ts";
import { maintenanceStateOf } from "./maintenance-state.ts";
import { tracesOn } from "./maintenance-trace.ts";
import { type Confirmation, confirmation } from "./work-confirmation.ts";

/** Asks EC2 whether it has scheduled the work that a notice announces for one of its instances, whose node may have a date for it. */
export async function confirmed(
  node: Node,
  { instance, settings: { maintenanceLead: lead } }: Affected,
  { notice, ports: { schedule, clock } }: MaintenanceRequest,
): Promise<Confirmation> {
  const scheduled = await schedule.planned(instance);
  const { startTime: before } = tracesOn(node).find(({ event }) => event === notice.event) ?? {
    startTime: never,
  };
  return confirmation({ ...notice, scheduled, before, lead, now: clock.now() });
}

/**
 * The end of a pass over a notice whose work EC2 does not confirm; `undefined` when the work is to be done.
 *
 * EC2 is asked before the node's first mark, and once more when the drain is to begin. If it is silent then, its first
 * answer counts.
 */
export async function tryDoubt(
  node: Node,
  one: Affected,
  request: MaintenanceRequest,
): Promise<EventPass | undefined> {
  const { notice, ports } = request;
  const standing = maintenanceStateOf(notice, tracesOn(node));
  if (standing.kind === "outdated") return undefined;
  if (standing.kind === "news") return doubtOf(await confirmed(node, one, request), one, ports);
  if (isMarkedFor("maintenance", node)) return undefined;
  if (restBefore(standing.trace, one.settings, ports.clock.now()) > 0) return undefined;
  try {
    return doubtOf(await confirmed(node, one, request), one, ports);
  } catch (cause) {
    ports.journal.record({ ...faultEntry(cause), retryable: true });
    return undefined;
  }
}

function doubtOf(
  found: Confirmation,
  { instance }: Pick<Affected, "instance">,
  ports: InterruptionPorts,
): EventPass | undefined {
  switch (found.kind) {
    case "confirmed":
      return undefined;
    case "unconfirmed":
      return askedAgain([`instance ${instance}`], found, ports);
    case "untrue":
      return ignored(`EC2 has scheduled no work for instance ${instance}`, "untrue");
  }
}

/** The end of a pass that waits for EC2 to confirm work on some instances. */
export function askedAgain(
  instances: readonly string[],
  { wait: asked }: Extract<Confirmation, { readonly kind: "unconfirmed" }>,
  { journal }: Pick<InterruptionPorts, "journal">,
): EventPass {
  // SQS counts in whole seconds.
  const wait = longest(seconds(1), asked);
  const left = instances.map((about) => ({
    about,
    why: "EC2 has scheduled no work yet, and is asked again",
  }));
  journal.record({ kind: "pass-ended", left, wait });
  return { kind: "again", wait };
}
