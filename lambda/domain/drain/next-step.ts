import { earliest, later, seconds } from "../time.ts";
import { daemonSetRequests } from "./daemonset-requests.ts";
import { detachment } from "./detachment.ts";
import { outlasts } from "./overdue.ts";
import { holdsNode, isTerminating } from "./pod-class.ts";
import { podRequests } from "./pod-requests.ts";
import type { Snapshot, Step } from "./snapshot.ts";

/**
 * Chooses the next step of a drain from the state of the node now.
 *
 * It remembers nothing but the requests of this pass, so a repeated pass resumes a drain instead of restarting it.
 * It believes that a node is empty only once the mark has settled: a pod that was bound just before the mark may
 * appear late.
 */
export function nextStep(snapshot: Snapshot): Step {
  const { now, deadline, marked, settings, listed, pods } = snapshot;
  const settled = later(marked, settings.settle);
  const held = pods.some((pod) => holdsNode(pod, snapshot));
  if (!held && now >= settled) return listed >= settled ? whenFree(snapshot) : { kind: "list" };
  if (now >= deadline) return atTheEnd(snapshot);
  if (!held) return { kind: "ask", requests: [], recheck: earliest(settled, deadline) };
  return { kind: "ask", ...podRequests(snapshot) };
}

function whenFree(snapshot: Snapshot): Step {
  const last = daemonSetRequests(snapshot);
  return last === "none" ? detachment(snapshot, "drained") : { kind: "ask", ...last };
}

// How long a kubelet needs to remove a pod whose containers have ended.
const cleanUp = seconds(2);

/** Waits a moment longer at the deadline if every pod that holds the node ends in time. */
function atTheEnd(snapshot: Snapshot): Step {
  const { now, deadline, pods } = snapshot;
  const recheck = later(deadline, cleanUp);
  const held = pods.filter((pod) => holdsNode(pod, snapshot));
  const inTime =
    held.length > 0 && held.every((pod) => isTerminating(pod) && !outlasts(pod, deadline));
  return inTime && now < recheck
    ? { kind: "ask", requests: [], recheck }
    : detachment(snapshot, "expired");
}
