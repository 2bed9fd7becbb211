import { type Happening, type HappeningOf, ofKind } from "../../journal/happening.ts";
import type { Duration } from "../../lambda/base/time.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { demoNode } from "../../sandbox/scenarios/demo-ng.ts";

/** A sandbox, as far as one hears what happens in it. */
type Heard = Pick<Sandbox, "happenings" | "onHappening">;

/** How the function's work on all messages ended. */
type WorkedOff = "answered" | "resting" | "faulted";

/**
 * Waits until the function is done with every message of the queue, or until a pass ends in a fault.
 *
 * After a fault the queue would deliver the message again and again, for hours. The function is done with a message also
 * when its work has an outcome and the message comes back to clean up. A message that rests for longer than a replay lasts
 * is not waited for.
 */
export function untilWorkedOff(
  sandbox: Heard & { readonly deployment: Pick<Sandbox["deployment"], "queue"> },
  timeout: Duration,
): Promise<WorkedOff> {
  const { promise, resolve } = Promise.withResolvers<WorkedOff>();
  const queue = sandbox.deployment.queue(demoNode.names.queue);
  sandbox.onHappening((happening) => {
    if (happening.kind !== "invocation-ended") return;
    const states = queue
      .contents()
      .map(({ message }) => stateOf(message.id, sandbox.happenings(), timeout));
    if (states.every((state) => state === "done")) resolve("answered");
    else if (!states.includes("open")) resolve("resting");
    else if (endedInFault(sandbox.happenings(), happening)) resolve("faulted");
  });
  return promise;
}

/** What is to be expected of a message in the queue, by what the function said of it last. */
function stateOf(
  messageId: string,
  happenings: readonly Happening[],
  timeout: Duration,
): "done" | "rests" | "open" {
  const last = happenings.findLast(
    (one) => one.source === "function" && one.messageId === messageId && turns.has(one.kind),
  );
  if (last?.kind === "notice-done") return "done";
  return last?.kind === "pass-ended" && last.wait > timeout ? "rests" : "open";
}

const turns = new Set<Happening["kind"]>(["pass-started", "pass-ended", "notice-done", "fault"]);

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
export function untilReplaced(sandbox: Heard): Promise<void> {
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
