import type { Budget } from "../pod/budget.ts";
import type { Pod } from "../pod/pod.ts";
import { earliest, type Instant, later, seconds } from "../time.ts";
import { daemonSetAskings } from "./daemonset-requests.ts";
import { detachment, type Volumes } from "./detachment.ts";
import { outlasts } from "./force.ts";
import type { Ledger } from "./ledger.ts";
import { holdsNode, isTerminating, type Scene } from "./pod-class.ts";
import type { Asking } from "./pod-request.ts";
import { askings } from "./pod-requests.ts";

/** A node under drain, as this pass sees it. */
export interface Snapshot extends Scene {
  readonly deadline: Instant;
  /** When all pods of the node were last listed, not only followed. */
  readonly listed: Instant;
  readonly pods: readonly Pod[];
  readonly budgets: readonly Budget[];
  readonly ledger: Ledger;
  readonly volumes: Volumes;
}

/** What a drain does next. */
export type Step =
  | { readonly kind: "finish"; readonly outcome: "drained" | "expired" }
  /** Nothing is left as far as is known: list once more to be certain. */
  | { readonly kind: "list" }
  /** No pod is waited for any more: find out which volumes are still attached. */
  | { readonly kind: "read volumes" }
  /** Ask for these, if any, and look again then at the latest, or as soon as something changes. */
  | { readonly kind: "ask"; readonly askings: readonly Asking[]; readonly look: Instant };

/**
 * Chooses the next step of a drain from how the node looks now.
 *
 * It remembers nothing but what was asked, so a pass that is repeated resumes a drain instead of
 * restarting it. An empty node is believed only once the mark has settled: a pod that was bound just
 * before may show late.
 */
export function nextStep(snapshot: Snapshot): Step {
  const { now, deadline, marked, settings, listed, pods } = snapshot;
  const settled = later(marked, settings.settle);
  const held = pods.some((pod) => holdsNode(pod, snapshot));
  if (!held && now >= settled) return listed >= settled ? whenFree(snapshot) : { kind: "list" };
  if (now >= deadline) return atTheEnd(snapshot);
  if (!held) return { kind: "ask", askings: [], look: earliest(settled, deadline) };
  return { kind: "ask", ...askings(snapshot) };
}

function whenFree(snapshot: Snapshot): Step {
  const last = daemonSetAskings(snapshot);
  return last === "none" ? detachment(snapshot, "drained") : { kind: "ask", ...last };
}

// What a kubelet needs to take a pod away whose containers have ended.
const cleanUp = seconds(2);

/** A node whose last pods end just in time is waited for a moment longer. */
function atTheEnd(snapshot: Snapshot): Step {
  const { now, deadline, pods } = snapshot;
  const look = later(deadline, cleanUp);
  const held = pods.filter((pod) => holdsNode(pod, snapshot));
  const inTime =
    held.length > 0 && held.every((pod) => isTerminating(pod) && !outlasts(pod, deadline));
  return inTime && now < look
    ? { kind: "ask", askings: [], look }
    : detachment(snapshot, "expired");
}
