import type { PodUid } from "../ids.ts";
import type { Eviction } from "../pod/eviction.ts";
import { type Instant, instant } from "../time.ts";

/** The last request to let one pod go, and what came back. */
export interface Attempt {
  readonly verb: "evict" | "delete";
  readonly asked: Instant;
  readonly answer: Eviction | { readonly kind: "pending" };
  /** How often in a row the pod was refused. */
  readonly refusals: number;
  /** Not to be asked again before then. */
  readonly notBefore: Instant;
  /** The version of the pod's budget when it was asked; empty without one. */
  readonly budgetVersion: string;
}

/**
 * What this pass has asked of the API server.
 *
 * An optimisation only: a pass that starts with an empty ledger drains as well, with a few more requests.
 */
export interface Ledger {
  readonly attempts: ReadonlyMap<PodUid, Attempt>;
  /** Throttled: nothing at all is asked before then. */
  readonly pausedUntil: Instant;
  /** How many requests may be under way at once. */
  readonly room: number;
  /** Namespaces that refuse evictions because they are being deleted, and since when they are known to. */
  readonly terminatingNamespaces: ReadonlyMap<string, Instant>;
}

/** A ledger of a pass that has not asked for anything. */
export const ledgerWithRoom = (room: number): Ledger => ({
  attempts: new Map(),
  pausedUntil: instant(0),
  room,
  terminatingNamespaces: new Map(),
});

/** How many requests have not been answered. */
export const underWay = ({ attempts }: Ledger): number =>
  [...attempts.values()].filter(({ answer }) => answer.kind === "pending").length;

/** How many more requests may go out now. */
export const freeRoom = (ledger: Ledger, now: Instant): number =>
  now < ledger.pausedUntil ? 0 : Math.max(0, ledger.room - underWay(ledger));
