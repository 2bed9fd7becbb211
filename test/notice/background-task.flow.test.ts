import { expect, it, vi } from "vitest";
import { Bell } from "../../lambda/base/bell.ts";
import { type Instant, instant, never } from "../../lambda/base/time.ts";
import { BackgroundTask } from "../../lambda/notice/background-task.flow.ts";

const clockAt = (now: Instant) => ({ now: () => now, sleep: async () => undefined });

it("a background task does not start again while it runs, and gives its result once", async () => {
  const answers: ((answer: string) => void)[] = [];
  const work = () => new Promise<string>((resolve) => answers.push(resolve));
  const bell = new Bell();
  const task = new BackgroundTask({ due: () => instant(0), work }, bell, clockAt(instant(1)));
  task.start();
  task.start();
  expect(answers).toHaveLength(1);
  expect(task.due()).toBe(never);
  expect(task.take()).toBeUndefined();

  answers[0]?.("kept");
  await vi.waitFor(() => expect(bell.heard()).toBe(true), 60_000);

  expect([task.take(), task.take()]).toEqual(["kept", undefined]);
  expect(task.due()).toBe(0);
  task.start();
  expect(answers).toHaveLength(2);
});

it("a background task does not start before it is due", () => {
  const work = vi.fn(async () => "kept");
  new BackgroundTask({ due: () => instant(2), work }, new Bell(), clockAt(instant(1))).start();
  expect(work).not.toHaveBeenCalled();
});
