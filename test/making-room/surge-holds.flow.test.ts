import { describe, expect, it } from "vitest";
import { later, minutes } from "../../lambda/base/time.ts";
import { SurgeHolds } from "../../lambda/making-room/surge-holds.flow.ts";
import { aPod } from "../support/builders.ts";
import { QuickClock } from "../support/quick-clock.ts";
import { aWorkload } from "./a-workload.ts";

/** Asks for a pod of a Deployment whose count has just gone back, and whose budgets are known from that question on. */
async function holds(known: number, { maker = {}, misses = false } = {}) {
  const clock = new QuickClock();
  const since = clock.now();
  const changed = { ...aWorkload(1), changes: [since], ...maker };
  const workloads = { makerOf: () => Promise.resolve(changed) };
  const cluster = { workloads: () => Promise.resolve(workloads) };
  const surges = { misses: () => misses };
  let asked = 0;
  const isKnown = () => ++asked >= known;
  const until = later(since, minutes(5));
  const held = await new SurgeHolds({ clock, cluster, known: surges }).over({
    pod: aPod(),
    isKnown,
    until,
  });
  return [held === "none" ? "goes" : "held", clock.slept.length];
}

describe("a pod whose count has just gone back", () => {
  it("is held back as soon as its budgets are known", async () => {
    expect([await holds(1), await holds(3)]).toEqual([
      ["held", 0],
      ["held", 2],
    ]);
  });

  it("waits where it is for a quarter of a minute at most while nobody knows its budgets", async () => {
    expect(await holds(99)).toEqual(["goes", 15]);
  });

  it("waits so long, too, where nothing at its workload tells of a surge that the process knows", async () => {
    const maker = { changes: [] };
    expect(await holds(1, { maker, misses: true })).toEqual(["goes", 15]);
    expect(await holds(1, { maker })).toEqual(["goes", 0]);
  });
});
