import { later } from "../base/time.ts";
import { daemonSetRequests } from "./daemonset-requests.ts";
import { outlasts, removalSlack } from "./overdue.ts";
import { holdsNode, isTerminating, isUnreachable } from "./pod-class.ts";
import { mayStillLeave, podRequests } from "./pod-requests.ts";
import type { Snapshot, Step } from "./snapshot.ts";

/**
 * Chooses the next step of a drain from the state of the node now.
 *
 * It remembers nothing but the requests of this pass, so a repeated pass resumes a drain instead of restarting it.
 * It believes that a node is empty only once the mark has settled: a pod that was bound just before the mark may
 * appear late.
 */
export function nextStep(snapshot: Snapshot): Step {
  const { now, deadline, pods } = snapshot;
  const held = pods.some((pod) => holdsNode(pod, snapshot));
  if (!held) return whenEmpty(snapshot);
  return now < deadline ? { kind: "ask", ...podRequests(snapshot) } : lastTry(snapshot);
}

/** The step once the node is empty. It waits for the mark to settle even after the deadline, because that takes only seconds. */
function whenEmpty(snapshot: Snapshot): Step {
  const { now, marked, settings, listed } = snapshot;
  const settled = later(marked, settings.settle);
  if (now >= settled) return listed >= settled ? whenFree(snapshot) : { kind: "list" };
  return { kind: "ask", requests: [], recheck: settled };
}

function whenFree(snapshot: Snapshot): Step {
  const last = daemonSetRequests(snapshot);
  return last === "none" ? detachment(snapshot, "drained") : { kind: "ask", ...last };
}

/**
 * A pass that begins after the deadline tries once all the same: it makes the requests that it can, and waits for pods
 * that already leave, but for no budget.
 */
function lastTry(snapshot: Snapshot): Step {
  const { now, triesUntil } = snapshot;
  if (now >= triesUntil) return atTheEnd(snapshot);
  const requests = podRequests(snapshot);
  const isTrying = requests.requests.length > 0 || mayStillLeave(snapshot);
  return isTrying ? { kind: "ask", ...requests } : atTheEnd(snapshot);
}

/** Waits a moment longer at the deadline if every pod that still holds the node ends in time. */
function atTheEnd(snapshot: Snapshot): Step {
  const { now, triesUntil, pods } = snapshot;
  const recheck = later(triesUntil, removalSlack);
  const held = pods.filter((pod) => holdsNode(pod, snapshot));
  const inTime = held.every((pod) => isTerminating(pod) && !outlasts(pod, triesUntil));
  return inTime && now < recheck
    ? { kind: "ask", requests: [], recheck }
    : detachment(snapshot, "expired");
}

/**
 * Chooses the step of a drain that no longer waits for any pod: read or wait for volumes, or finish.
 *
 * Volumes that detach cleanly are free for the new pods at once. From a dead node Kubernetes takes a volume by force
 * only after six minutes. Nothing detaches volumes from an unreachable node, so the drain does not wait there.
 */
function detachment(snapshot: Snapshot, outcome: FinishOutcome): Step {
  const { volumes, settings, node, now } = snapshot;
  const over = { kind: "finish", outcome } as const;
  if (settings.volumeTimeout === 0 || isUnreachable(node)) return over;
  switch (volumes.kind) {
    case "none":
      return over;
    case "unread":
      return { kind: "read volumes" };
    case "read":
      return volumes.attached.length === 0 || now >= volumes.until
        ? over
        : { kind: "ask", requests: [], recheck: volumes.until };
  }
}

type FinishOutcome = Extract<Step, { readonly kind: "finish" }>["outcome"];
