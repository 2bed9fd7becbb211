import type { Eviction, RetryAfter } from "./eviction.ts";
import type { PodUid } from "./ids.ts";
import type { Pod } from "./pod.ts";
import {
  type Duration,
  type Instant,
  instant,
  later,
  longest,
  milliseconds,
  seconds,
  shortest,
} from "./time.ts";

/** The last eviction of one pod: when it was asked for and what came back. */
export interface Attempt {
  readonly asked: Instant;
  readonly answer: Eviction | { readonly kind: "pending" };
  /** How often in a row the pod was refused. */
  readonly refusals: number;
  /** No further eviction of this pod before then. */
  readonly notBefore: Instant;
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
  /** How many evictions may be under way at once. */
  readonly room: number;
}

const mostRoom = 20;
const never = instant(Number.MAX_SAFE_INTEGER);

/** A ledger of a pass that has not asked for anything. */
export const emptyLedger: Ledger = {
  attempts: new Map(),
  pausedUntil: instant(0),
  room: mostRoom,
};

/** How many evictions have not been answered. */
export const underWay = ({ attempts }: Ledger): number =>
  [...attempts.values()].filter(({ answer }) => answer.kind === "pending").length;

const note = (ledger: Ledger, pod: Pod, attempt: Attempt): Ledger => ({
  ...ledger,
  attempts: new Map(ledger.attempts).set(pod.uid, attempt),
});

/** Notes that the eviction of a pod has been asked for. */
export function noteAsked(ledger: Ledger, pod: Pod, now: Instant): Ledger {
  const refusals = ledger.attempts.get(pod.uid)?.refusals ?? 0;
  return note(ledger, pod, { asked: now, answer: { kind: "pending" }, refusals, notBefore: never });
}

/** Notes what came back, and with it when to ask again. */
export function noteAnswer(ledger: Ledger, { pod, answer, now }: Answered): Ledger {
  const before = ledger.attempts.get(pod.uid);
  const refusals = answer.kind === "accepted" ? 0 : (before?.refusals ?? 0) + 1;
  const notBefore = later(now, backOff({ answer, refusals, pod }));
  const noted = note(ledger, pod, { asked: before?.asked ?? now, answer, refusals, notBefore });
  if (answer.kind === "throttled") return throttled(noted, later(now, pauseFor(answer.retryAfter)));
  return { ...noted, room: Math.min(mostRoom, noted.room + 1) };
}

/** An answer, to whose eviction, and when it came. */
export interface Answered {
  readonly pod: Pod;
  readonly answer: Eviction;
  readonly now: Instant;
}

const throttled = (ledger: Ledger, until: Instant): Ledger => ({
  ...ledger,
  room: Math.max(1, Math.floor(ledger.room / 2)),
  pausedUntil: instant(Math.max(ledger.pausedUntil, until)),
});

// API Priority and Fairness asks for 1 to 32 seconds.
const pauseFor = (retryAfter: RetryAfter): Duration =>
  retryAfter === "unsaid" ? seconds(1) : shortest(seconds(32), longest(seconds(1), retryAfter));

interface Refused {
  readonly answer: Eviction;
  readonly refusals: number;
  readonly pod: Pod;
}

function backOff({ answer, refusals, pod }: Refused): Duration {
  switch (answer.kind) {
    case "accepted":
    case "gone":
      return milliseconds(never / 2);
    case "blocked":
      return spread(pod, answer.retryAfter === "unsaid" ? knock(refusals) : answer.retryAfter);
    case "conflict":
    case "unclear":
      return spread(pod, seconds(1));
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
  let mixed = 0;
  for (const character of pod.uid) mixed = (mixed * 31 + character.charCodeAt(0)) % 1009;
  return milliseconds(Math.round(wait * (1 + mixed / 1009 / 4)));
}
