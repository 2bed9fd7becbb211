import { vi } from "vitest";
import { later, milliseconds } from "../../lambda/base/time.ts";
import type { VirtualTimeline } from "../../sandbox/timeline.ts";
import { realWork, watchingRealWork } from "./real-work.ts";

const { setImmediate: nextTurn } = globalThis;
// No real work of the world's code takes this long. A socket that somebody leaves open would last for ever.
const patience = 10_000;

/** Waits until all pending work has come to rest: whatever is still awaited waits for the world's time. */
export async function rest(): Promise<void> {
  const begun = performance.now();
  for (;;) {
    await new Promise<void>((resolve) => {
      nextTurn(resolve);
    });
    const unfinished = realWork();
    if (unfinished.length === 0) return;
    if (performance.now() - begun > patience)
      throw new Error(`this work does not end: ${unfinished.join(", ")}`);
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
    return await watchingRealWork(work);
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
