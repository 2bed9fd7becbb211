import type { Ledger } from "./ledger.ts";
import { underWay } from "./ledger.ts";
import type { Pod } from "./pod.ts";
import { holdsNode, isCritical, isTerminating } from "./pod-class.ts";
import { earliest, type Instant, latest } from "./time.ts";

/** A node under drain, as this pass sees it. */
export interface Snapshot {
  readonly now: Instant;
  readonly deadline: Instant;
  /** From when on an empty node is believed: pods bound before the mark was seen have shown by then. */
  readonly settled: Instant;
  /** When all pods of the node were last listed, not only followed. */
  readonly listed: Instant;
  readonly pods: readonly Pod[];
  readonly ledger: Ledger;
}

/** What a drain does next. */
export type Step =
  | { readonly kind: "finish"; readonly outcome: "drained" | "expired" }
  /** Nothing is left as far as is known: list once more to be certain. */
  | { readonly kind: "list" }
  /** Evict these, if any, and look again at the latest then, or as soon as something changes. */
  | { readonly kind: "evict"; readonly pods: readonly Pod[]; readonly look: Instant };

/**
 * Chooses the next step of a drain from how the node looks now.
 *
 * It remembers nothing but what was asked, so a pass that is repeated resumes a drain instead of
 * restarting it. Critical pods leave last: they may be serving the others.
 */
export function nextStep(snapshot: Snapshot): Step {
  const { now, deadline, settled, listed, pods } = snapshot;
  const holding = pods.filter(holdsNode);
  if (holding.length === 0 && now >= settled)
    return listed >= settled ? { kind: "finish", outcome: "drained" } : { kind: "list" };
  if (now >= deadline) return { kind: "finish", outcome: "expired" };
  if (holding.length === 0) return { kind: "evict", pods: [], look: earliest(settled, deadline) };

  const leaving = presentTier(holding).filter((pod) => !isTerminating(pod));
  const { due, look } = dueOf(leaving, snapshot);
  return { kind: "evict", pods: due, look };
}

function presentTier(holding: readonly Pod[]): readonly Pod[] {
  const ordinary = holding.filter((pod) => !isCritical(pod));
  return ordinary.length > 0 ? ordinary : holding;
}

function dueOf(leaving: readonly Pod[], { now, deadline, ledger }: Snapshot) {
  const waiting = leaving.map((pod) => notBefore(pod, ledger)).filter((at) => at > now);
  const look = earliest(deadline, ...waiting);
  const room = Math.max(0, ledger.room - underWay(ledger));
  const due = leaving.filter((pod) => notBefore(pod, ledger) <= now).slice(0, room);
  return { due, look };
}

const notBefore = (pod: Pod, { attempts, pausedUntil }: Ledger): Instant =>
  latest(pausedUntil, attempts.get(pod.uid)?.notBefore ?? pausedUntil);
