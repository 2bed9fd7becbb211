import { describe, expect, it, onTestFinished, vi } from "vitest";
import type { ClusterStatus } from "../../../cli/status/status-schema.ts";
import { tellStatus, watchStatus } from "../../../cli/status/watch-status.ts";
import { capturedIo, type Surroundings } from "../captured-io.ts";

const status = (cluster: string): ClusterStatus => ({
  kind: "status",
  cluster,
  at: "2026-03-23T10:00:00.000Z",
  broken: [],
  held: [],
  marked: [],
  queue: null,
  repairs: [],
  room: [],
  upgrades: [],
  clockAheadSeconds: 0,
  faults: [],
  settings: [],
  gaps: [],
});

/** Watches these statuses one after the other, and then interrupts. */
async function watched(clusters: readonly string[], surroundings: Surroundings) {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const io = capturedIo(surroundings);
  const [...left] = clusters;
  const look = async (): Promise<ClusterStatus> => {
    const next = left.shift() ?? "";
    if (left.length === 0) io.interrupt();
    return status(next);
  };
  const ended = watchStatus({ io, look, form: "text" });
  for (const _ of clusters) await vi.advanceTimersByTimeAsync(5000);
  await ended;
  return io.out();
}

const text = (cluster: string): string => `${cluster}: 0 instances held, messages unknown`;

it("a status that is told once says on a terminal what it reads, and then shows only what it has read", async () => {
  const io = capturedIo({ isTTY: true, columns: 80, env: { NO_COLOR: "1" } });

  const wait = { about: "one", why: () => "" };
  await tellStatus({ io, look: async () => status("one"), form: "text", wait });

  expect(io.out()).toBe(
    `reading Auto Scaling, the cluster and the queue\r\u001b[2K${text("one")}\n`,
  );
});

it("a status that takes long says so every five seconds on the error output, and what it waits for", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const io = capturedIo();
  const { promise, resolve } = Promise.withResolvers<ClusterStatus>();
  const reasons = ["", "the API server has not answered for 9 s"];
  const wait = { about: "one", why: () => reasons.shift() ?? "" };

  const told = tellStatus({ io, look: () => promise, form: "json", wait });
  await vi.advanceTimersByTimeAsync(10_500);
  resolve(status("one"));
  await told;
  await vi.advanceTimersByTimeAsync(60_000);

  expect(io.err()).toBe(
    "one: still reading, for 5 s\none: still reading, for 10 s: the API server has not answered for 9 s\n",
  );
});

describe("a status that is watched", () => {
  it("is drawn anew on a terminal, in colours", async () => {
    const out = await watched(["one", "two"], { isTTY: true, columns: 80 });

    expect(out).toBe(
      `\u001b[32m${text("one")}\u001b[39m\r\u001b[2K\u001b[32m${text("two")}\u001b[39m\n`,
    );
  });

  it("is drawn without colours where NO_COLOR is set", async () => {
    const out = await watched(["one"], { isTTY: true, columns: 80, env: { NO_COLOR: "1" } });

    expect(out).toBe(`${text("one")}\n`);
  });

  it("shows no more lines than the terminal has", async () => {
    const held = { isTTY: true, columns: 20, rows: 3, env: { NO_COLOR: "1" } };

    expect(await watched(["one"], held)).toBe("one: 0 instances\nand 2 more lines\n");
  });

  it("elsewhere is told once and then where it changes", async () => {
    const out = await watched(["one", "one", "two"], {});

    expect(out).toBe(`2026-03-23T10:00:00.000Z
${text("one")}
2026-03-23T10:00:00.000Z
no longer: ${text("one")}
${text("two")}
`);
  });
});
