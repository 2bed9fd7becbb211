import { type Duration, seconds } from "../../../domain/time.ts";
import { tryRefusal } from "./kube-fault.ts";

const longestPause = 8;

/** How long to wait before a throttled call is sent again; `undefined` if the server did not throttle it. */
export function tryRetryAfter(cause: unknown): Duration | undefined {
  const refusal = tryRefusal(cause);
  if (refusal?.code !== 429 && refusal?.code !== 503) return undefined;
  return seconds(Math.min(longestPause, Math.max(1, Number(refusal.retryAfter) || 1)));
}
