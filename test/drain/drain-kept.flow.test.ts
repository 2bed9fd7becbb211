import { describe, expect, it } from "vitest";
import { minutes } from "../../lambda/base/time.ts";
import { changeBudget } from "../world/change.ts";
import { endingsIn, took } from "../world/evidence.ts";
import { failing } from "../world/fault-plan.ts";
import { refusal } from "../world/refusal.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn } from "../world/workloads.ts";
import { group, instanceOf } from "../world/world-options.ts";

const settings = { DRAIN_FORCE: "never", DRAIN_RESULT_AT_DEADLINE: "ABANDON" };

/** A world whose group retains or terminates abandoned instances, and where a budget holds a pod for ever. */
function aWorld(
  onAbandon: "retain" | "terminate",
  its: Readonly<Record<string, string>> = settings,
) {
  const world = new VirtualWorld({ settings: its });
  const { register } = world.aws.autoScaling;
  register.put({ ...register.findGroup(group), onAbandon });
  deploy(world, { name: "web", on: { 1: 1 } });
  world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
  return world;
}

async function drained(world: VirtualWorld): Promise<VirtualWorld> {
  await world.drain();
  return world;
}

const outcomes = (world: VirtualWorld) => world.told("notice-done").map(({ outcome }) => outcome);
const stateOf = (world: VirtualWorld) =>
  world.aws.autoScaling.register.instances().find(({ id }) => id === instanceOf(1))?.state;

describe("a drain that may not force, where instances are kept at the deadline", () => {
  it("abandons the hook then, and the group keeps the instance with its pods", async () => {
    const world = await drained(aWorld("retain"));
    const left = [{ about: "default/web-1", why: expect.stringMatching(/^held for .* by budget/) }];
    expect(outcomes(world)).toEqual([{ kind: "kept", left }]);
    expect(endingsIn(world)).toEqual(["ABANDON by call"]);
    expect(stateOf(world)).toBe("Terminating:Retained");
    expect(namesOn(world, 1)).toEqual(["web-1"]);
    expect(took(world)).toBe(minutes(15));
  });

  it("lets the instance go with a warning where its group does not retain it", async () => {
    const world = await drained(aWorld("terminate"));
    expect(outcomes(world)).toMatchObject([{ kind: "expired" }]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(world.told("warning")).toContainEqual(
      expect.objectContaining({
        about: `group ${group}`,
        warnings: [expect.stringContaining("it retains no abandoned instance")],
      }),
    );
  });

  it("lets the instance go once it is drained", async () => {
    const world = aWorld("retain");
    world.in(minutes(2), () => changeBudget(world, "web", { maxUnavailable: 1 }));
    await drained(world);
    expect(outcomes(world)).toMatchObject([{ kind: "drained" }]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });

  it("keeps the instance also where nothing answers until the deadline", async () => {
    const world = aWorld("retain");
    const fault = refusal(500, "InternalError");
    world.faults = failing(/^(list|watch) pods/, fault);
    await drained(world);
    expect(outcomes(world)).toMatchObject([{ kind: "kept" }]);
    expect(endingsIn(world)).toEqual(["ABANDON by call"]);
  });
});

it("by default a drain at its deadline lets go of an instance that its group would retain", async () => {
  const world = await drained(aWorld("retain", { DRAIN_FORCE: "never" }));
  expect(outcomes(world)).toMatchObject([{ kind: "expired" }]);
  expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  expect(world.told("warning").map(({ about }) => about)).not.toContain(`group ${group}`);
});
