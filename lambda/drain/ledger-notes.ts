import { type Instant, later, latest, never } from "../base/time.ts";
import { pauseAfter, restAfter } from "./back-off.ts";
import type { Eviction } from "./eviction.ts";
import type { Attempt, Ledger } from "./ledger.ts";
import type { Pod } from "./pod.ts";

/** A request to evict or delete a pod. */
export interface NewRequest {
  readonly pod: Pod;
  readonly verb: "evict" | "delete";
  readonly budgetVersion: string;
  readonly now: Instant;
}

/** Notes a request that has been sent for a pod. */
export function noteRequest(ledger: Ledger, { pod, verb, budgetVersion, now }: NewRequest): Ledger {
  const refusals = ledger.attempts.get(pod.uid)?.refusals ?? 0;
  const answer = { kind: "pending" } as const;
  return note(ledger, pod, { verb, asked: now, answer, refusals, notBefore: never, budgetVersion });
}

/** The API server's answer to the request for a pod, and when it came. */
export interface NewAnswer {
  readonly pod: Pod;
  readonly answer: Eviction;
  readonly now: Instant;
  /** The most requests that may ever be under way at once. */
  readonly mostRoom: number;
}

/** Notes the answer to a request, and when the next request for the pod may follow. */
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
