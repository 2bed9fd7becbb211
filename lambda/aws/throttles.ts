import { Fault } from "../base/fault.ts";

const throttled = /Throttl|RequestLimitExceeded|TooManyRequests/;

/** AWS says that it is asked too often. The SDK does not know this error, so it does not try again. */
class Throttle extends Fault {}

/** Throws an error on, and one by which AWS throttles as a `Throttle`. */
export function throwOnce(cause: unknown): never {
  if (!(cause instanceof Error && throttled.test(cause.name))) throw cause;
  throw new Throttle("aws.unreachable", `${cause.name}: ${cause.message}`, { cause });
}

/** Makes an answer of a `Throttle`. */
export function orThrottled(cause: unknown): "throttled" {
  if (cause instanceof Throttle) return "throttled";
  throw cause;
}
