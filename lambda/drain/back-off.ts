import { type Duration, longest, milliseconds, minutes, seconds, shortest } from "../base/time.ts";
import type { Eviction } from "./eviction.ts";
import type { Pod } from "./pod.ts";

type Unclear = Extract<Eviction, { readonly kind: "unclear" }>;
type Throttled = Extract<Eviction, { readonly kind: "throttled" }>;

// API Priority and Fairness asks clients to wait 1 to 32 seconds.
const shortestPause = seconds(1);
const longestPause = seconds(32);

/** How long the drain pauses after the API server has throttled a request. */
export const pauseAfter = ({ retryAfter }: Throttled, pod: Pod): Duration =>
  spread(
    pod,
    retryAfter === "unsaid"
      ? shortestPause
      : shortest(longestPause, longest(shortestPause, retryAfter)),
  );

/** How long the drain waits after an answer before it requests the same pod again; refusals in a row make it longer. */
export function restAfter(answer: Eviction, refusals: number, pod: Pod): Duration {
  switch (answer.kind) {
    case "accepted":
    case "gone":
      // The drain trusts this answer. If the pod is still there two minutes later, the drain requests it again.
      return minutes(2);
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
