import type { Eviction } from "../pod/eviction.ts";
import type { Pod } from "../pod/pod.ts";
import { type Duration, longest, milliseconds, minutes, seconds, shortest } from "../time.ts";

type Unclear = Extract<Eviction, { readonly kind: "unclear" }>;
type Throttled = Extract<Eviction, { readonly kind: "throttled" }>;

// API Priority and Fairness asks for 1 to 32 seconds.
const shortestPause = seconds(1);
const longestPause = seconds(32);

/** How long nothing at all is asked after the server was throttling. */
export const pauseAfter = ({ retryAfter }: Throttled, pod: Pod): Duration =>
  spread(
    pod,
    retryAfter === "unsaid"
      ? shortestPause
      : shortest(longestPause, longest(shortestPause, retryAfter)),
  );

/** How long a pod rests after an answer before it is asked for again; longer with every refusal in a row. */
export function restAfter(answer: Eviction, refusals: number, pod: Pod): Duration {
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

// A server that says when to come back means the first time.
const unclearFor = ({ retryAfter }: Unclear, refusals: number): Duration =>
  retryAfter === "unsaid" ? knock(refusals) : longest(retryAfter, knock(refusals - 1));

// 2, 4, 8, then 10 seconds.
const knock = (refusals: number): Duration => shortest(seconds(10), seconds(2 ** refusals));

// Up to a quarter longer, by the pod's identity: the same at every run, different for every pod.
function spread(pod: Pod, wait: Duration): Duration {
  const mixed = [...pod.uid].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1009, 0);
  return milliseconds(Math.round(wait * (1 + mixed / 1009 / 4)));
}
