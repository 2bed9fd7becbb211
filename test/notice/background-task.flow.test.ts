import { expect, it, vi } from "vitest";
import { type Instant, instant, never } from "../../lambda/base/time.ts";
import { Wakeup } from "../../lambda/base/wakeup.ts";
import { BackgroundTask } from "../../lambda/notice/background-task.flow.ts";

const clockAt = (now: Instant) => ({ now: () => now, sleep: async () => undefined });

it("a background task does not start again while it runs, and gives its result once", async () => {
  const answers: ((answer: string) => void)[] = [];
  const work = () => new Promise<string>((resolve) => answers.push(resolve));
  const wakeup = new Wakeup();
  const task = new BackgroundTask({ due: () => instant(0), work }, wakeup, clockAt(instant(1)));
  task.start();
  task.start();
  expect(answers).toHaveLength(1);
  expect(task.due()).toBe(never);
  expect(task.take()).toBeUndefined();

  answers[0]?.("kept");
  await vi.waitFor(() => expect(wakeup.consume()).toBe(true), 60_000);

  expect([task.take(), task.take()]).toEqual(["kept", undefined]);
  expect(task.due()).toBe(0);
  task.start();
  expect(answers).toHaveLength(2);
});

it("a background task starts when it is due, and not before", () => {
  const work = vi.fn(async () => "kept");
  const startAt = (now: number) =>
    new BackgroundTask(
      { due: () => instant(2), work },
      new Wakeup(),
      clockAt(instant(now)),
    ).start();
  startAt(1);
  expect(work).not.toHaveBeenCalled();
  startAt(2);
  expect(work).toHaveBeenCalledOnce();
});

it("a background task that fails throws once where its result is taken, and starts again", async () => {
  const wakeup = new Wakeup();
  const work = vi.fn(() => Promise.reject(new Error("no answer")));
  const task = new BackgroundTask({ due: () => instant(0), work }, wakeup, clockAt(instant(1)));
  task.start();
  await vi.waitFor(() => expect(wakeup.consume()).toBe(true), 60_000);
  expect(() => task.take()).toThrow("no answer");
  expect(task.take()).toBeUndefined();
  task.start();
  expect(work).toHaveBeenCalledTimes(2);
});
