import { AsyncLocalStorage, AsyncResource, createHook } from "node:async_hooks";
import { vi } from "vitest";
import { later, milliseconds } from "../../lambda/base/time.ts";
import type { VirtualTimeline } from "../../sandbox/timeline.ts";

// All promises and ticks, and those that follow from them, run within one turn of the event loop. Random bytes are made
// at once. An open file or a resolver does nothing without a request. A compressor works at once wherever the world's code
// uses one, and Node says that it has ended only when its memory is collected.
const momentary = [
  "DNSCHANNEL",
  "FILEHANDLE",
  "PROMISE",
  "RANDOMBYTESREQUEST",
  "TickObject",
  "ZLIB",
];
// These end with their first callback. A timer or a socket may call back until it is destroyed.
const endsWithCallback = /^Immediate$|^FSREQ|REQUEST$|(REQ|CONNECT|QUERY|SEND|SHUTDOWN|WRITE)WRAP$/;

const watched = new AsyncLocalStorage<"world">();
const underWay = new Map<number, string>();
const hook = createHook({
  init(...[id, type, , resource]) {
    const isReal = !momentary.includes(type) && !(resource instanceof AsyncResource);
    if (isReal && watched.getStore() === "world") underWay.set(id, type);
  },
  after(id) {
    if (endsWithCallback.test(underWay.get(id) ?? "")) underWay.delete(id);
  },
  destroy: (id) => underWay.delete(id),
  trackPromises: false,
});

/** Does some work, and watches whatever it starts that takes real time, such as reading a file. */
async function watchingRealWork<T>(work: () => Promise<T>): Promise<T> {
  hook.enable();
  try {
    return await watched.run("world", work);
  } finally {
    hook.disable();
    underWay.clear();
  }
}

/** The real work that has started but not ended, by the names that Node gives it. */
const realWork = (): readonly string[] => [...underWay.values()];

const { setImmediate: nextTurn } = globalThis;
// A request ends by itself, however long a busy machine takes. What only lasts, such as a socket that somebody leaves open,
// is given up after so many turns of the event loop in which nothing new begins or ends.
const patience = 300_000;

/** Waits until all pending work has come to rest: whatever is still awaited waits for the world's time. */
export async function rest(): Promise<void> {
  let last = "";
  for (let turns = 0; ; turns += 1) {
    await new Promise<void>((resolve) => {
      nextTurn(resolve);
    });
    const unfinished = realWork();
    if (unfinished.length === 0) return;
    const now = [...underWay.keys()].join();
    if (now !== last || unfinished.some((type) => endsWithCallback.test(type))) turns = 0;
    if (turns > patience) throw new Error(`this work does not end: ${unfinished.join(", ")}`);
    last = now;
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
