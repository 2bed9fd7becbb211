import { describe, expect, it } from "vitest";
import { type Instant, later, minutes, seconds } from "../../lambda/base/time.ts";
import type { Pod } from "../../lambda/drain/pod.ts";
import { SurgeHolds } from "../../lambda/making-room/surge-holds.flow.ts";
import type { WorkloadMetadata } from "../../lambda/making-room/workload.ts";
import { aBudget, aPod } from "../support/builders.ts";
import { QuickClock } from "../support/quick-clock.ts";
import { aWorkload } from "./a-workload.ts";

const budget = aBudget({ currentHealthy: 2 });
const pod = aPod({ name: "web-1" });
const fault = new Error("overloaded");
const both = [pod, aPod({ name: "web-2" })];

/** Asks for a pod of a Deployment whose count others have written, and whose budget has these pods at each look. */
function holdsWith(looks: readonly (readonly Pod[] | Error | string)[]) {
  const clock = new QuickClock();
  const left = [...looks];
  const podsUnder = () => {
    const pods = left.shift() ?? [];
    return pods instanceof Error ? Promise.reject(pods) : Promise.resolve(pods);
  };
  let maker: WorkloadMetadata = { ...aWorkload(2), managers: ["kubectl"], countedAt: clock.now() };
  const workloads = { makerOf: () => Promise.resolve(maker), podsUnder };
  const cluster = { workloads: () => Promise.resolve(workloads) };
  const holds = new SurgeHolds({ clock, cluster });
  return {
    clock,
    left,
    counted: (countedAt: Instant) => {
      maker = { ...maker, countedAt };
    },
    isHeld: async () => {
      const until = later(clock.now(), minutes(5));
      return (await holds.over({ pod, budgets: [budget], until })) !== "none";
    },
  };
}

describe("a pod of a Deployment whose count somebody else has just written", () => {
  it("is held as long as its budget counts more pods than are ready, and looked at no more after that", async () => {
    const { isHeld, left } = holdsWith([[pod], both, []]);
    expect([await isHeld(), await isHeld(), await isHeld(), left]).toEqual([
      true,
      false,
      false,
      [[]],
    ]);
  });

  it("is looked at again once the count is written again", async () => {
    const { clock, counted, isHeld } = holdsWith([both, [pod]]);
    expect(await isHeld()).toBe(false);
    counted(later(clock.now(), seconds(1)));
    expect(await isHeld()).toBe(true);
  });

  it("goes where the pods of its budget are not looked at, for no surge is made there", async () => {
    const { isHeld } = holdsWith(["they are too many"]);
    expect(await isHeld()).toBe(false);
  });

  it.each([
    ["is looked at again where its budget's pods were not read", [fault, [pod]], true, 1],
    [
      "goes after a quarter of a minute in which nobody reads these",
      Array(99).fill(fault),
      false,
      15,
    ],
  ])("%s", async (_, looks, isHeldBack, rests) => {
    const { clock, isHeld } = holdsWith(looks);
    expect([await isHeld(), clock.slept.length]).toEqual([isHeldBack, rests]);
  });

  it("goes half a minute after the write", async () => {
    const { clock, counted, isHeld, left } = holdsWith([[pod]]);
    counted(later(clock.now(), seconds(-30)));
    expect([await isHeld(), left.length]).toEqual([false, 1]);
  });
});
