import { isUnreachable } from "./pod-class.ts";
import type { Snapshot, Step } from "./snapshot.ts";

/**
 * Chooses the step of a drain that no longer waits for any pod: read or wait for volumes, or finish.
 *
 * Volumes that detach cleanly are free for the new pods at once. From a dead node Kubernetes takes a volume by force
 * only after six minutes. Nothing detaches volumes from an unreachable node, so the drain does not wait there.
 */
export function detachment(snapshot: Snapshot, outcome: Outcome): Step {
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

type Outcome = Extract<Step, { readonly kind: "finish" }>["outcome"];
