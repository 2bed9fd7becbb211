import { type Clock, sleepFor } from "../base/clock.port.ts";
import { kubeFault } from "./kube-fault.ts";
import { tryRetryAfter } from "./retry-after.ts";

const mostRetries = 3;

/** Calls, and calls again while the server throttles or fails for a moment; throws a fault that says what was being done. */
export async function askAgain<T>(doing: string, call: () => Promise<T>, clock: Clock): Promise<T> {
  for (let failures = 1; ; failures += 1) {
    try {
      return await call();
    } catch (cause) {
      const wait = tryRetryAfter(cause, failures);
      if (wait === undefined || failures > mostRetries) throw kubeFault(doing, cause);
      await sleepFor(wait, clock);
    }
  }
}
