import {
  type Duration,
  type Instant,
  later,
  latest,
  longest,
  milliseconds,
  minutes,
  never,
  seconds,
  shortest,
} from "../base/time.ts";
import type { Eviction } from "./eviction.ts";
import type { Ledger, PodAttempt } from "./ledger.ts";
import type { Pod } from "./pod.ts";

/** Notes a request that has been sent for a pod. */
export function noteRequest(
  ledger: Ledger,
  {
    pod,
    verb,
    budgetVersion,
    now,
  }: {
    readonly pod: Pod;
    readonly verb: "evict" | "delete";
    readonly budgetVersion: string;
    readonly now: Instant;
  },
): Ledger {
  const refusals = ledger.attempts.get(pod.uid)?.refusals ?? 0;
  const answer = { kind: "pending" } as const;
  return note(ledger, pod, { verb, asked: now, answer, refusals, notBefore: never, budgetVersion });
}

/** Takes back a request that was not sent after all. */
export function withdrawn(ledger: Ledger, { uid }: Pod, last: PodAttempt | undefined): Ledger {
  const attempts = new Map(ledger.attempts);
  attempts.delete(uid);
  return { ...ledger, attempts: last === undefined ? attempts : attempts.set(uid, last) };
}

/** The API server's answer to the request for a pod, and when it came. */
export interface NewAnswer {
  readonly pod: Pod;
  readonly answer: Eviction;
  readonly now: Instant;
  /** The most requests that may ever be under way at once. */
  readonly mostAtOnce: number;
}

/** Notes the answer to a request, and when the next request for the pod may follow. */
export function noteAnswer(ledger: Ledger, { pod, answer, now, mostAtOnce }: NewAnswer): Ledger {
  const attempt = ledger.attempts.get(pod.uid);
  if (attempt === undefined) return ledger;
  const refusals = refusalsAfter(answer, attempt);
  const notBefore = later(now, restAfter(answer, refusals, pod));
  const noted = note(ledger, pod, { ...attempt, answer, refusals, notBefore });
  if (answer.kind === "throttled") return slowed(noted, later(now, pauseAfter(answer, pod)));
  const limit = Math.min(mostAtOnce, noted.limit + 1);
  return { ...noted, limit, terminatingNamespaces: closing(ledger, { pod, answer, now }) };
}

// Throttling says nothing about the pod.
function refusalsAfter({ kind }: Eviction, { refusals }: PodAttempt): number {
  if (kind === "throttled") return refusals;
  return kind === "accepted" ? 0 : refusals + 1;
}

const closing = (
  { terminatingNamespaces }: Ledger,
  { pod, answer, now }: Omit<NewAnswer, "mostAtOnce">,
): ReadonlyMap<string, Instant> =>
  answer.kind === "namespace-terminating" && !terminatingNamespaces.has(pod.namespace)
    ? new Map(terminatingNamespaces).set(pod.namespace, now)
    : terminatingNamespaces;

const note = (ledger: Ledger, pod: Pod, attempt: PodAttempt): Ledger => ({
  ...ledger,
  attempts: new Map(ledger.attempts).set(pod.uid, attempt),
});

const slowed = (ledger: Ledger, until: Instant): Ledger => ({
  ...ledger,
  limit: Math.max(1, Math.floor(ledger.limit / 2)),
  pausedUntil: latest(ledger.pausedUntil, until),
});

type Unclear = Extract<Eviction, { readonly kind: "unclear" }>;
type Throttled = Extract<Eviction, { readonly kind: "throttled" }>;

// API Priority and Fairness asks clients to wait 1 to 32 seconds.
const shortestPause = seconds(1);
const longestPause = seconds(32);

/** The pause of the drain after the API server has throttled a request. */
const pauseAfter = ({ retryAfter }: Throttled, pod: Pod): Duration =>
  spread(
    pod,
    retryAfter === "unsaid"
      ? shortestPause
      : shortest(longestPause, longest(shortestPause, retryAfter)),
  );

const untilLook = seconds(5);

/** The pause before the same pod is requested again; it grows with refusals in a row. */
function restAfter(answer: Eviction, refusals: number, pod: Pod): Duration {
  switch (answer.kind) {
    case "accepted":
    case "gone":
      // A true eviction shows at once. Where a watch shows none by then, the drain looks at the pod itself.
      return untilLook;
    case "blocked":
      return spread(pod, answer.retryAfter === "unsaid" ? knock(refusals) : answer.retryAfter);
    case "conflict":
      return spread(pod, seconds(1));
    case "unclear":
      return spread(pod, unclearFor(answer, refusals));
    case "namespace-terminating":
      return spread(pod, seconds(5));
    case "overlapping-budgets":
    case "denied":
    case "without-effect":
      return spread(pod, seconds(10));
    case "invalid":
      return spread(pod, minutes(5));
    case "throttled":
      return seconds(0);
  }
}

// The server's Retry-After fits the first refusal. After more refusals in a row the wait is longer.
const unclearFor = ({ retryAfter }: Unclear, refusals: number): Duration =>
  retryAfter === "unsaid" ? knock(refusals) : longest(retryAfter, knock(refusals - 1));

// 2, 4, 8, then 10 seconds.
const knock = (refusals: number): Duration => shortest(seconds(10), seconds(2 ** refusals));

// Makes a wait up to a quarter longer, by the pod's UID: the same in every run, different for every pod.
function spread(pod: Pod, wait: Duration): Duration {
  const mixed = [...pod.uid].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1009, 0);
  return milliseconds(Math.round(wait * (1 + mixed / 1009 / 4)));
}
