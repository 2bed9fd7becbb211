import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Instant, later, minutes, never, seconds } from "../../lambda/domain/time.ts";
import { completionsIn, deletionsIn, endingsIn, evictedIn } from "../world/evidence.ts";
import { well } from "../world/fate.ts";
import { planned } from "../world/planned-world.ts";
import { anyPlan, type Plan } from "../world/random-plan.ts";
import type { VirtualWorld } from "../world/virtual-world.ts";
import { Witness } from "../world/witness.ts";

// `RANDOM_WORLDS=5000` looks longer.
const { RANDOM_WORLDS = "100" } = process.env;
const numRuns = Number(RANDOM_WORLDS);

async function drain(plan: Plan) {
  const world = planned(plan);
  const start = world.timeline.now();
  const deadline = later(start, seconds(plan.timeout));
  const witness = new Witness(world, deadline);
  world.destiny = (request) => {
    witness.see(request);
    return plan.troubles.find(({ number }) => number === request.number)?.fate ?? well;
  };
  world.terminate(1);
  await world.work();
  witness.judge(evictedIn(world));
  return { world, deadline, witness };
}

describe("in any world, whatever goes wrong, a drain", { timeout: 600_000 }, () => {
  it("releases its instance once and in time, and hurts no pod that it should not", async () => {
    const holds = fc.asyncProperty(anyPlan, async (plan) => {
      const { world, deadline, witness } = await drain(plan);
      expect(witness.complaints).toEqual([]);
      expectReleased(world);
      expectForcedInTime(world, plan, deadline);
      const done = world.told("notice-done").at(-1)?.at ?? never;
      // Each trouble may cost a visibility timeout.
      expect(done).toBeLessThanOrEqual(deadline + minutes(2) * (plan.troubles.length + 1));
    });
    await fc.assert(holds, { numRuns });
  });
});

function expectReleased(world: VirtualWorld): void {
  expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  expect(completionsIn(world)).toBe(1);
  expect(world.aws.sqs.findQueue("notices").contents()).toEqual([]);
  expect(world.aws.sqs.findQueue("dead-letters").contents()).toEqual([]);
  const codes = world.told("fault").map(({ code }) => code);
  expect(codes).not.toContain("internal.unexpected");
}

/** No pod is deleted before its grace no longer fits, nor without grace, nor where force is switched off. */
function expectForcedInTime(world: VirtualWorld, plan: Plan, deadline: Instant): void {
  const longest = Math.max(30, ...plan.pods.map(({ grace }) => grace));
  for (const { at, body } of deletionsIn(world)) {
    expect(plan.force).toBe("at-deadline");
    expect(at).toBeGreaterThan(deadline - seconds(longest));
    expect(body.gracePeriodSeconds).toBeGreaterThanOrEqual(1);
  }
}
