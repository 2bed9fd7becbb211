import { expect, it, vi } from "vitest";
import { paced, paceFor } from "../../../../lambda/adapters/kubernetes/watch/paced.ts";
import { Bell } from "../../../../lambda/ports/bell.ts";
import type { Clock } from "../../../../lambda/ports/clock.ts";
import { noon } from "../../../builders.ts";

/** A clock whose sleepers all wake when it says so. */
class StillClock implements Clock {
  readonly #wake: (() => void)[] = [];

  now = () => noon;

  sleep(): Promise<void> {
    return new Promise((resolve) => this.#wake.push(resolve));
  }

  async passes(): Promise<void> {
    for (const wake of this.#wake.splice(0)) wake();
    await new Promise((next) => setImmediate(next));
  }
}

const pacedBell = () => {
  const [bell, clock] = [new Bell(), new StillClock()];
  return { ring: vi.spyOn(bell, "ring"), clock, listener: paced(bell, clock, () => 100) };
};

it("news ring at once where it has been quiet", () => {
  const { ring, listener } = pacedBell();
  listener.ring("all");
  expect(ring).toHaveBeenCalledTimes(1);
});

it("news that follow others ring once for all of them, a moment later", async () => {
  const { ring, clock, listener } = pacedBell();
  for (let count = 0; count < 10; count += 1) listener.ring("all");
  expect(ring).toHaveBeenCalledTimes(1);
  await clock.passes();
  expect(ring).toHaveBeenCalledTimes(2);
  listener.ring("all");
  expect(ring).toHaveBeenCalledTimes(2);
  await clock.passes();
  expect(ring).toHaveBeenCalledTimes(3);
});

it("nothing rings where no news have followed, and the next news ring at once", async () => {
  const { ring, clock, listener } = pacedBell();
  listener.ring("all");
  await clock.passes();
  expect(ring).toHaveBeenCalledTimes(1);
  listener.ring("all");
  expect(ring).toHaveBeenCalledTimes(2);
});

it("the last pods are heard at once, and those of a full node within 50 ms", () => {
  expect([0, 9, 10, 100, 250].map(paceFor)).toEqual([0, 0, 5, 50, 50]);
});
