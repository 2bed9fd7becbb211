import { isUnreachable } from "./pod-class.ts";
import type { Snapshot, Step } from "./snapshot.ts";

/**
 * Chooses what becomes of a node on which no pod is waited for any more: a clean detach of the volumes of those that
 * went saves their new pods the six minutes after which Kubernetes takes a volume from a dead node by force. Nobody
 * detaches from a node that has fallen silent.
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
