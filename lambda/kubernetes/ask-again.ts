import { type Clock, sleepFor } from "../base/clock.port.ts";
import { between, type Duration, milliseconds, seconds } from "../base/time.ts";
import { ConnectionError } from "../http/lost-connection.ts";
import { kubeFault, tryRefusal } from "./kube-fault.ts";
import type { RefusedAnswer } from "./refused-request.ts";

const mostRetries = 3;

/** Calls, and retries while the server throttles or fails for a moment. Throws a fault that says what was being done. */
export async function askAgain<T>(doing: string, call: () => Promise<T>, clock: Clock): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    const asked = clock.now();
    try {
      return await call();
    } catch (cause) {
      const wait = tryRetryAfter(cause, failures, between(asked, clock.now()));
      if (wait === undefined || failures > mostRetries) throw kubeFault(doing, cause);
      await sleepFor(wait, clock);
    }
  }
}

const longestPause = 8;
const firstPause = 200;
const brief: readonly number[] = [500, 502, 503, 504];
// Such as a webhook that does not answer.
const slowAnswer = seconds(5);

/**
 * The delay before a call is sent again that has failed so many times in a row; `undefined` if it
 * is not to be sent again. A server that throttles says how long. The faults of a server that
 * restarts, or of the way to it, are over in a moment: 0.2, 0.4, then 0.8 seconds. A request that
 * had no answer in time, or a late one, has used up much of a pass, so it is sent again once.
 */
function tryRetryAfter(cause: unknown, failures: number, took: Duration): Duration | undefined {
  const refusal = tryRefusal(cause);
  if (refusal !== undefined && isThrottled(refusal))
    return seconds(Math.min(longestPause, Math.max(1, Number(refusal.retryAfter) || 1)));
  const mayAgain = took < slowAnswer || failures === 1;
  return mayAgain && isBrief(cause, failures)
    ? milliseconds(firstPause * 2 ** (failures - 1))
    : undefined;
}

const isThrottled = ({ code, retryAfter }: RefusedAnswer): boolean =>
  code === 429 || (code === 503 && retryAfter !== "");

function isBrief(cause: unknown, failures: number): boolean {
  if (!(cause instanceof ConnectionError)) return brief.includes(tryRefusal(cause)?.code ?? 0);
  return cause.reason === "timeout" ? failures === 1 : cause.reason !== "tls";
}
