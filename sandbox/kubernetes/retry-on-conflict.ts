import { later, milliseconds } from "../../lambda/base/time.ts";
import type { Timeline } from "../timeline.ts";
import { ApiError } from "./status.ts";

const attempts = 20;
/** The API server waits 500 ms and up to a tenth more; this is the mean. */
const pause = milliseconds(525);

/** Whether a request lost against another one. */
export const isConflict = (error: unknown): boolean =>
  error instanceof ApiError && error.status.code === 409;

/** Repeats work while it conflicts, for about ten seconds, as the API server does. */
export function retryOnConflict<T>(timeline: Timeline, work: () => T): Promise<T> {
  return new Promise((resolve, reject) => {
    const giveIn = (error: unknown, left: number): void => {
      if (left === 1 || !isConflict(error)) reject(error);
      else timeline.schedule(later(timeline.now(), pause), () => attempt(left - 1));
    };
    const attempt = (left: number): void => {
      try {
        resolve(work());
      } catch (error) {
        giveIn(error, left);
      }
    };
    attempt(attempts);
  });
}
