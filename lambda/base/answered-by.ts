import type { Clock } from "./clock.port.ts";
import type { Instant } from "./time.ts";
import { Wakeup } from "./wakeup.ts";

/** An answer that comes in time. Nobody waits for one that comes later. */
export async function answeredBy<T>(
  limit: Instant,
  answer: Promise<T>,
  clock: Clock,
): Promise<T | "unanswered"> {
  const answered = new Wakeup();
  const silence = clock.sleep(limit, answered).then(() => "unanswered" as const);
  try {
    return await Promise.race([answer, silence]);
  } finally {
    answered.notify();
  }
}
