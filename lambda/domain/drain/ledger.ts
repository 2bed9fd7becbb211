import type { PodUid } from "../ids.ts";
import type { Eviction } from "../pod/eviction.ts";
import type { Pod } from "../pod/pod.ts";
import { type Instant, instant, later, latest, never } from "../time.ts";
import { pauseAfter, restAfter } from "./back-off.ts";

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

/** A request to let a pod go. */
export interface NewRequest {
  readonly pod: Pod;
  readonly verb: "evict" | "delete";
  readonly budgetVersion: string;
  readonly now: Instant;
}

/** Notes that a pod has been asked to go. */
export function noteRequest(ledger: Ledger, { pod, verb, budgetVersion, now }: NewRequest): Ledger {
  const refusals = ledger.attempts.get(pod.uid)?.refusals ?? 0;
  const answer = { kind: "pending" } as const;
  return note(ledger, pod, { verb, asked: now, answer, refusals, notBefore: never, budgetVersion });
}

/** An answer, about which pod, and when it came. */
export interface NewAnswer {
  readonly pod: Pod;
  readonly answer: Eviction;
  readonly now: Instant;
  /** The most requests that may ever be under way at once. */
  readonly mostRoom: number;
}

/** Notes what came back, and with it when to ask again. */
export function noteAnswer(ledger: Ledger, { pod, answer, now, mostRoom }: NewAnswer): Ledger {
  const attempt = ledger.attempts.get(pod.uid);
  if (attempt === undefined) return ledger;
  const refusals = refusalsAfter(answer, attempt);
  const notBefore = later(now, restAfter(answer, refusals, pod));
  const noted = note(ledger, pod, { ...attempt, answer, refusals, notBefore });
  if (answer.kind === "throttled") return slowed(noted, later(now, pauseAfter(answer, pod)));
  const room = Math.min(mostRoom, noted.room + 1);
  return { ...noted, room, terminatingNamespaces: closing(ledger, { pod, answer, now }) };
}

// Throttling says nothing about the pod.
function refusalsAfter({ kind }: Eviction, { refusals }: Attempt): number {
  if (kind === "throttled") return refusals;
  return kind === "accepted" ? 0 : refusals + 1;
}

const closing = (
  { terminatingNamespaces }: Ledger,
  { pod, answer, now }: Omit<NewAnswer, "mostRoom">,
): ReadonlyMap<string, Instant> =>
  answer.kind === "namespace-terminating" && !terminatingNamespaces.has(pod.namespace)
    ? new Map(terminatingNamespaces).set(pod.namespace, now)
    : terminatingNamespaces;

const note = (ledger: Ledger, pod: Pod, attempt: Attempt): Ledger => ({
  ...ledger,
  attempts: new Map(ledger.attempts).set(pod.uid, attempt),
});

const slowed = (ledger: Ledger, until: Instant): Ledger => ({
  ...ledger,
  room: Math.max(1, Math.floor(ledger.room / 2)),
  pausedUntil: latest(ledger.pausedUntil, until),
});
