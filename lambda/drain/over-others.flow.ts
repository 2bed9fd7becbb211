import { type Clock, sleepFor } from "../base/clock.port.ts";
import { milliseconds } from "../base/time.ts";

const attempts = 6;
const pause = milliseconds(750);

/** Reads and writes something until no other write comes in between; gives up after six attempts. */
export async function overOthers<T>(
  attempt: () => Promise<T | "changed">,
  clock: Clock,
): Promise<T | "changed"> {
  for (let tried = 0; tried < attempts; tried += 1) {
    const answer = await attempt();
    if (answer !== "changed") return answer;
    await sleepFor(pause, clock);
  }
  return "changed";
}
