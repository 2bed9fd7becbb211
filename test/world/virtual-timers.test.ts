import { readFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import { instant, later, seconds } from "../../lambda/base/time.ts";
import { VirtualTimeline } from "../../sandbox/timeline.ts";
import { rest, withTimersOn } from "./virtual-timers.ts";

const start = instant(0);

const inWorld = <T>(work: (timeline: VirtualTimeline) => Promise<T>): Promise<T> => {
  const timeline = new VirtualTimeline(start);
  return withTimersOn(timeline, () => work(timeline));
};

const real: Readonly<Record<string, () => Promise<unknown>>> = {
  "ticks follow from ticks": async () => {
    for (let count = 0; count < 1000; count += 1)
      await new Promise<void>((resolve) => process.nextTick(resolve));
  },
  "turns of the event loop follow each other": async () => {
    for (let count = 0; count < 100; count += 1)
      await new Promise<void>((resolve) => setImmediate(resolve));
  },
  "a stream is read": () => text(Readable.from(Array.from({ length: 1000 }, String))),
  "a file is read": () => readFile(import.meta.filename),
  "a digest is made": () => crypto.subtle.digest("SHA-256", new Uint8Array(1e6)),
  "a peer on loopback answers": async () => {
    const server = createServer((socket) => socket.end("hello"));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    const port = address !== null && typeof address === "object" ? address.port : 0;
    const told = await text(connect(port, "127.0.0.1"));
    server.close();
    return told;
  },
};

describe("time stands still in the world", () => {
  it.each(Object.entries(real))("while %s", async (_, work) => {
    const state = await inWorld(async () => {
      let state: "over" | "under way" = "under way";
      const done = work().then(() => {
        state = "over";
      });
      await rest();
      const seen = state;
      await done;
      return seen;
    });
    expect(state).toBe("over");
  });
});

describe("the world comes to rest", () => {
  it("while somebody waits for its time to pass", async () => {
    const seen = await inWorld(async (timeline) => {
      let fired = 0;
      setTimeout(() => {
        fired += 1;
      }, 1000);
      await rest();
      const before = fired;
      timeline.step(later(start, seconds(5)));
      return [before, fired];
    });
    expect(seen).toEqual([0, 1]);
  });

  it("whatever happens outside it", async () => {
    const outside = setInterval(() => undefined, 1);
    const file = readFile(import.meta.filename);
    await inWorld(() => rest());
    clearInterval(outside);
    await file;
  });
});
