import { describe, expect, it } from "vitest";
import { hours, minutes, seconds } from "../../lambda/base/time.ts";
import type { Pool } from "../../sandbox/aws/pool.ts";
import { followNodes, sampled } from "../world/balanced.ts";
import { RepairWorld } from "../world/repair-world.ts";
import { instanceOf, nodeOf } from "../world/world-options.ts";

const port = 30080;

/** Four nodes behind a target group whose new targets are healthy after some minutes. */
function aWorld() {
  const world = new RepairWorld({ size: 4, settings: { REPAIR_MOST_ILL: "2" } });
  const interval = minutes(5);
  const pool = world.aws.elb.create({ name: "web", delay: seconds(10), interval });
  for (let index = 1; index <= 4; index += 1) pool.register(instanceOf(index), port, "healthy");
  followNodes(world, pool, port);
  return { world, pool, counts: sampled(world, pool) };
}

/** Registers an instance of the third node again and again, so that its first health checks never end. */
function registerAgain(world: RepairWorld, pool: Pool): void {
  pool.register(instanceOf(3), port);
  world.in(minutes(4), () => registerAgain(world, pool));
}

describe("repairs of instances behind a target group", () => {
  it("end no second one while the target of the first one's replacement is still initial", async () => {
    const { world, counts } = aWorld();
    world.kernel(1, "False", "ForkFailedOutOfPIDs");
    world.in(minutes(1), () => world.kernel(2, "False", "ForkFailedOutOfPIDs"));
    await world.goOn(hours(3));

    expect(world.repaired.map(({ index }) => index)).toEqual([1, 2]);
    expect(Math.min(...counts)).toBe(3);
    const held = world.told("repair-held").filter(({ brake }) => brake === "targets");
    expect(held.at(0)).toMatchObject({
      reason:
        "target group web would have 2 healthy instances, and 1 of the others is still initial; waits for their first health checks",
      instances: [instanceOf(2)],
    });
  });

  it("are held for an hour by one that somebody registers again and again, and not for ever", async () => {
    const { world, pool } = aWorld();
    registerAgain(world, pool);
    world.kernel(1, "False", "ForkFailedOutOfPIDs");
    await world.goOn(hours(1));
    expect(world.repaired).toEqual([]);
    await world.goOn(hours(2));

    expect(world.repaired.map(({ index }) => index)).toEqual([1]);
  });

  it("are held for a day by one whose node also becomes ready again and again, and not for ever", async () => {
    const { world, pool } = aWorld();
    registerAgain(world, pool);
    const flap = () => {
      for (const status of ["False", "True"] as const)
        world.cluster.setCondition(nodeOf(3), { type: "Ready", status, reason: "", message: "" });
      world.in(minutes(30), flap);
    };
    flap();
    world.kernel(1, "False", "ForkFailedOutOfPIDs");
    await world.goOn(minutes(1));
    await world.workFor(hours(24));
    await world.goOn(minutes(15));
    expect(world.repaired).toEqual([]);
    expect(world.told("repair-held").at(-1)).toMatchObject({ brake: "targets" });
    await world.workFor(minutes(15));
    await world.goOn(minutes(15));

    expect(world.repaired.map(({ index }) => index)).toEqual([1]);
  });

  it("reboot one without taking it out of the target group, for nobody would register it again", async () => {
    const rules = [{ condition: "KernelReady", reason: "*", minutes: 10, action: "reboot" }];
    const repair = { REPAIR_OVERRIDES: JSON.stringify(rules) };
    const settings = { ...repair, DRAIN_DEREGISTER: "if-nobody-does" };
    const world = new RepairWorld({ size: 4, settings });
    const pool = world.aws.elb.create({ name: "web", follows: "nobody" });
    for (let index = 1; index <= 4; index += 1) pool.register(instanceOf(index), port, "healthy");
    world.kernel(3, "False", "ForkFailedOutOfPIDs");
    world.in(minutes(18), () => world.kernel(3, "True"));
    await world.goOn(hours(1));

    expect(world.told("repair-rebooted")).not.toEqual([]);
    expect(world.told("targets-deregistered")).toEqual([]);
  });
});
