import { AsyncLocalStorage, AsyncResource, createHook } from "node:async_hooks";

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
export async function watchingRealWork<T>(work: () => Promise<T>): Promise<T> {
  hook.enable();
  try {
    return await watched.run("world", work);
  } finally {
    hook.disable();
    underWay.clear();
  }
}

/** The real work that has started but not ended, by the names that Node gives it. */
export const realWork = (): readonly string[] => [...underWay.values()];
