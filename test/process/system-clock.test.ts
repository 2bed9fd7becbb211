import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { hours, later, milliseconds } from "../../lambda/base/time.ts";
import { Wakeup } from "../../lambda/base/wakeup.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";

const inAWhile = (wait: ReturnType<typeof hours>) => later(systemClock.now(), wait);

describe("the system clock", () => {
  it("sleeps until its time has come", async () => {
    const until = inAWhile(milliseconds(30));
    await systemClock.sleep(until, new Wakeup());
    expect(systemClock.now()).toBeGreaterThanOrEqual(until - 1);
  });

  it("does not sleep at all until a time that has passed", async () => {
    await systemClock.sleep(inAWhile(hours(-1)), new Wakeup());
  });

  it("wakes when the wakeup rings, or at once if it rang before", async () => {
    const wakeup = new Wakeup();
    const sleep = systemClock.sleep(inAWhile(hours(48)), wakeup);
    wakeup.notify();
    await sleep;
    await systemClock.sleep(inAWhile(hours(48)), wakeup);
    expect(wakeup.consume()).toBe(true);
  });

  it("wakes once for several rings at the same time", async () => {
    const wakeup = new Wakeup();
    let wakes = 0;
    const sleep = systemClock.sleep(inAWhile(hours(1)), wakeup).then(() => {
      wakes += 1;
    });
    for (let ring = 0; ring < 1000; ring += 1) {
      wakeup.notify();
      await Promise.resolve();
    }
    expect(wakes).toBe(0);
    await setImmediate();
    await sleep;
    expect(wakes).toBe(1);
  });
});
