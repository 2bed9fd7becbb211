import { vi } from "vitest";
import { later, milliseconds } from "../../lambda/domain/time.ts";
import type { VirtualTimeline } from "../../sandbox/timeline.ts";

// How many turns of the event loop an answer takes at most from the world to its caller.
const turns = 3;
const { setImmediate: nextTurn } = globalThis;

/** Waits until all pending work has come to rest. */
export async function rest(): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) {
    await new Promise<void>((resolve) => {
      nextTurn(resolve);
    });
  }
}

/** Runs all timers on the world's time during some work. */
export async function withTimersOn<T>(
  timeline: VirtualTimeline,
  work: () => Promise<T>,
): Promise<T> {
  vi.stubGlobal(
    "setTimeout",
    (effect: (...args: unknown[]) => void, delay = 0, ...args: unknown[]) => {
      const at = later(timeline.now(), milliseconds(Math.max(0, delay)));
      return new VirtualTimer(timeline.schedule(at, () => effect(...args)));
    },
  );
  vi.stubGlobal("clearTimeout", (timer: unknown) => {
    if (timer instanceof VirtualTimer) timer.cancel();
  });
  try {
    return await work();
  } finally {
    vi.unstubAllGlobals();
  }
}

/** The timer that `setTimeout` returns. */
class VirtualTimer {
  readonly cancel: () => void;

  constructor(cancel: () => void) {
    this.cancel = cancel;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}
