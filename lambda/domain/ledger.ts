import type { Eviction, RetryAfter } from "./eviction.ts";
import type { PodUid } from "./ids.ts";
import type { Pod } from "./pod.ts";
import {
  type Duration,
  type Instant,
  instant,
  later,
  latest,
  longest,
  milliseconds,
  minutes,
  never,
  seconds,
  shortest,
} from "./time.ts";

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
}

/** A ledger of a pass that has not asked for anything. */
export const ledgerWithRoom = (room: number): Ledger => ({
  attempts: new Map(),
  pausedUntil: instant(0),
  room,
});

/** How many requests have not been answered. */
export const underWay = ({ attempts }: Ledger): number =>
  [...attempts.values()].filter(({ answer }) => answer.kind === "pending").length;

/** A request to let a pod go. */
export interface Asked {
  readonly pod: Pod;
  readonly verb: "evict" | "delete";
  readonly budgetVersion: string;
  readonly now: Instant;
}

/** Notes that a pod has been asked to go. */
export function noteAsked(ledger: Ledger, { pod, verb, budgetVersion, now }: Asked): Ledger {
  const refusals = ledger.attempts.get(pod.uid)?.refusals ?? 0;
  const answer = { kind: "pending" } as const;
  return note(ledger, pod, { verb, asked: now, answer, refusals, notBefore: never, budgetVersion });
}

/** An answer, about which pod, and when it came. */
export interface Answered {
  readonly pod: Pod;
  readonly answer: Eviction;
  readonly now: Instant;
  /** The most requests that may ever be under way at once. */
  readonly mostRoom: number;
}

/** Notes what came back, and with it when to ask again. */
export function noteAnswer(ledger: Ledger, { pod, answer, now, mostRoom }: Answered): Ledger {
  const attempt = ledger.attempts.get(pod.uid);
  if (attempt === undefined) return ledger;
  const refusals = answer.kind === "accepted" ? 0 : attempt.refusals + 1;
  const notBefore = later(now, restAfter(answer, refusals, pod));
  const noted = note(ledger, pod, { ...attempt, answer, refusals, notBefore });
  if (answer.kind === "throttled") return slowed(noted, later(now, pauseFor(answer.retryAfter)));
  return { ...noted, room: Math.min(mostRoom, noted.room + 1) };
}

const note = (ledger: Ledger, pod: Pod, attempt: Attempt): Ledger => ({
  ...ledger,
  attempts: new Map(ledger.attempts).set(pod.uid, attempt),
});

const slowed = (ledger: Ledger, until: Instant): Ledger => ({
  ...ledger,
  room: Math.max(1, Math.floor(ledger.room / 2)),
  pausedUntil: latest(ledger.pausedUntil, until),
});

// API Priority and Fairness asks for 1 to 32 seconds.
const pauseFor = (retryAfter: RetryAfter): Duration =>
  retryAfter === "unsaid" ? seconds(1) : shortest(seconds(32), longest(seconds(1), retryAfter));

function restAfter(answer: Eviction, refusals: number, pod: Pod): Duration {
  switch (answer.kind) {
    case "accepted":
    case "gone":
      // Taken at its word; a pod that is still there long after is asked again.
      return minutes(2);
    case "blocked":
      return spread(pod, answer.retryAfter === "unsaid" ? knock(refusals) : answer.retryAfter);
    case "conflict":
      return spread(pod, seconds(1));
    case "unclear":
      return spread(pod, knock(refusals));
    case "namespace-terminating":
      return spread(pod, seconds(5));
    case "overlapping-budgets":
    case "denied":
      return spread(pod, seconds(10));
    case "throttled":
      return seconds(0);
  }
}

// 2, 4, 8, then 10 seconds.
const knock = (refusals: number): Duration =>
  shortest(seconds(10), seconds(2 ** Math.min(refusals, 4)));

// Up to a quarter longer, by the pod's identity: the same at every run, different for every pod.
function spread(pod: Pod, wait: Duration): Duration {
  const mixed = [...pod.uid].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1009, 0);
  return milliseconds(Math.round(wait * (1 + mixed / 1009 / 4)));
}
