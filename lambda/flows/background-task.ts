import { type Instant, never } from "../domain/time.ts";
import type { Bell } from "../ports/bell.ts";
import type { Clock } from "../ports/clock.ts";

/** Work that is done now and then beside a loop, which never waits for it. */
export interface BackgroundTask<T> {
  /** When it is to be started; not while it is under way. */
  due(): Instant;
  /** Starts it if it is due; the bell rings when it is done. */
  start(): void;
  /** What it came to since last asked, if it has; throws what it failed by. */
  take(): T | undefined;
}

/** What there is to do, and when. */
export interface Recurring<T> {
  due(): Instant;
  work(): Promise<T>;
}

type Result<T> = { readonly value: T } | { readonly cause: unknown };

/** Does something beside a loop: a request that hangs holds up nothing else. */
export function backgroundTask<T>(
  chore: Recurring<T>,
  bell: Bell,
  clock: Clock,
): BackgroundTask<T> {
  let underWay = false;
  let result: Result<T> | undefined;

  const run = async (): Promise<void> => {
    try {
      result = { value: await chore.work() };
    } catch (cause) {
      result = { cause };
    } finally {
      underWay = false;
      bell.ring();
    }
  };

  return {
    due: () => (underWay ? never : chore.due()),
    start() {
      if (underWay || clock.now() < chore.due()) return;
      underWay = true;
      void run();
    },
    take() {
      const taken = result;
      result = undefined;
      if (taken === undefined) return undefined;
      if ("cause" in taken) throw taken.cause;
      return taken.value;
    },
  };
}
