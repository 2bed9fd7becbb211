import { type Duration, milliseconds, seconds } from "../base/time.ts";
import type { Pod } from "../drain/pod.ts";
import type { Force } from "./fate.ts";

/** The fit of a pod's grace into a drain, or the timeout that it would need. */
export type Fit =
  | { readonly kind: "fits" }
  | { readonly kind: "with-timeout"; readonly timeout: Duration }
  /** It takes longer than a hook can hold an instance, and so does any drain; budgets count for half of that at most. */
  | { readonly kind: "never"; readonly budgets: Duration };

/** Compares a pod's grace with the time it gets, even if its budget holds it until force. */
export function fitOf(
  { grace }: Pick<Pod, "grace">,
  force: Force,
  times: { readonly timeout: Duration; readonly longest: Duration },
): Fit {
  const isForced = force.kind !== "nothing" && grace > times.timeout / 2;
  if (grace <= times.timeout && !isForced) return { kind: "fits" };
  // Evictions wait for load balancers for a tenth of the time.
  const needed = isForced ? grace * 2 : (grace * 10) / 9;
  const timeout = seconds(Math.ceil(needed / 1000));
  return timeout <= times.longest
    ? { kind: "with-timeout", timeout }
    : { kind: "never", budgets: milliseconds(times.longest / 2) };
}
