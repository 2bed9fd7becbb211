import { type Happening, type HappeningOf, ofKind } from "../../journal/happening.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { demoNode } from "../../sandbox/scenarios/demo-ng.ts";

/**
 * Waits until the function is done with every message of the queue, or until a pass ends in a fault.
 *
 * After a fault the queue would deliver the message again and again, for hours.
 */
export function untilWorkedOff(sandbox: Sandbox): Promise<"answered" | "faulted"> {
  const { promise, resolve } = Promise.withResolvers<"answered" | "faulted">();
  const queue = sandbox.deployment.queue(demoNode.names.queue);
  sandbox.onHappening((happening) => {
    if (happening.kind !== "invocation-ended") return;
    if (queue.contents().length === 0) resolve("answered");
    else if (endedInFault(sandbox.happenings(), happening)) resolve("faulted");
  });
  return promise;
}

/** Whether an invocation handed back a message because of a fault, and not for its next pass. */
function endedInFault(
  happenings: readonly Happening[],
  end: HappeningOf<"invocation-ended">,
): boolean {
  if (end.how === "failed") return true;
  const before = happenings.slice(0, happenings.indexOf(end));
  const begun = before.findLastIndex(({ kind }) => kind === "invocation-ended") + 1;
  const during = before.slice(begun);
  const faults = ofKind(during, "fault").length;
  return faults > 0 && end.handedBack > ofKind(during, "pass-ended").length;
}

/** Waits until every evicted pod has a running replacement. */
export function untilReplaced(sandbox: Sandbox): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const look = () => {
    const happenings = sandbox.happenings();
    const evicted = [...ofKind(happenings, "pod-evicted"), ...ofKind(happenings, "pod-deleted")];
    const replaced = ofKind(happenings, "pod-running").map(({ replaces }) => replaces);
    if (evicted.every(({ pod }) => replaced.includes(pod))) resolve();
  };
  sandbox.onHappening(look);
  look();
  return promise;
}
