import { expect, it, vi } from "vitest";
import { type Instant, instant, never } from "../../lambda/domain/time.ts";
import { backgroundTask } from "../../lambda/flows/background-task.ts";
import { Bell } from "../../lambda/ports/bell.ts";

const clockAt = (now: Instant) => ({ now: () => now, sleep: async () => undefined });

it("what is done beside a loop is not started again while it is under way, and told once when it is done", async () => {
  const answers: ((answer: string) => void)[] = [];
  const work = () => new Promise<string>((resolve) => answers.push(resolve));
  const bell = new Bell();
  const chore = backgroundTask({ due: () => instant(0), work }, bell, clockAt(instant(1)));
  chore.start();
  chore.start();
  expect(answers).toHaveLength(1);
  expect(chore.due()).toBe(never);
  expect(chore.take()).toBeUndefined();

  answers[0]?.("kept");
  await vi.waitFor(() => expect(bell.heard()).toBe(true));

  expect([chore.take(), chore.take()]).toEqual(["kept", undefined]);
  expect(chore.due()).toBe(0);
  chore.start();
  expect(answers).toHaveLength(2);
});

it("what is not due yet is not started", () => {
  const work = vi.fn(async () => "kept");
  backgroundTask({ due: () => instant(2), work }, new Bell(), clockAt(instant(1))).start();
  expect(work).not.toHaveBeenCalled();
});
