import { Bell } from "../base/bell.ts";
import { type Clock, sleepFor } from "../base/clock.port.ts";
import { type Duration, later, milliseconds, seconds } from "../base/time.ts";

/** A message that is hidden for a moment only, again and again while the work on it goes on. */
export interface Hidden {
  /** Waits until it is hidden for the first time, but not long. */
  begun(): Promise<void>;
  /** Ends that. What its queue is told next counts. */
  end(): Promise<void>;
}

const patience = seconds(1);

/**
 * Hides a message for so long, and again before that is over. If the function dies, the message is back as soon; as long as
 * it lives, nobody else gets it.
 */
export function hidden(
  hide: (within: Duration) => Promise<unknown>,
  within: Duration,
  clock: Clock,
): Hidden {
  const bell = new Bell();
  let isOver = false;
  const first = hide(within);
  const goOn = async () => {
    for (;;) {
      await clock.sleep(later(clock.now(), milliseconds(within / 3)), bell);
      if (isOver) return;
      await hide(within);
    }
  };
  const rest = first.then(goOn);
  return {
    begun: async () => {
      await Promise.race([first, sleepFor(patience, clock)]);
    },
    end: async () => {
      isOver = true;
      bell.ring();
      await rest;
    },
  };
}
