import * as z from "zod/mini";
import { defaultHeartbeatSeconds, hookKeys } from "../contract.ts";
import { longestHold } from "../domain/notice/drain-deadline.ts";
import { minutes, seconds, wholeSeconds } from "../domain/time.ts";

/** A whole number in a range, written as text. */
export const wholeNumber = (unit: string, least: number, most: number) =>
  numberAs(`a whole number of ${unit} from ${least} to ${most}`, least, most);

const numberAs = (expected: string, least: number, most: number) =>
  z.pipe(
    z.pipe(z.string(expected).check(z.regex(/^\d{1,9}$/, expected)), z.transform(Number)),
    z.number().check(z.gte(least, expected), z.lte(most, expected)),
  );

/** How long the hooks of this deployment wait for a heartbeat. */
export const heartbeatSchema = z.object({
  [hookKeys.heartbeat]: z._default(wholeNumber("seconds", 30, 7200), defaultHeartbeatSeconds),
});

/** A timeout that a hook can hold its instance for. */
export type Timeout = ReturnType<typeof timeoutSchema>;

/** Accepts the timeouts that a hook with such a heartbeat can hold its instance for. */
export function timeoutSchema(heartbeatSeconds: number) {
  const most = wholeSeconds(longestHold(seconds(heartbeatSeconds)));
  const least = 30;
  const range = `a whole number of seconds from ${least} to ${most}`;
  const expected =
    most < wholeSeconds(longestHold(seconds(defaultHeartbeatSeconds)))
      ? `${range}, which is all that a hook holds with ${hookKeys.heartbeat}=${heartbeatSeconds}`
      : range;
  return z._default(numberAs(expected, least, most), wholeSeconds(minutes(15)));
}
