import { describe, expect, it } from "vitest";
import { hours, minutes } from "../../../lambda/domain/time.ts";
import { RepairWorld } from "../../world/repair-world.ts";
import { instanceOf } from "../../world/world-options.ts";

describe("a node whose kubelet has stopped", () => {
  it("is marked, given up, drained and replaced after 30 minutes", async () => {
    const world = new RepairWorld();
    world.silence(3);

    await world.goOn(hours(1));

    console.log(world.entries.filter(e=>/warn|fault/.test(e.kind)).map(e=>JSON.stringify(e)).join("\n"));
    expect(world.repaired).toMatchObject([{ index: 3, how: "replace" }]);
    expect(world.declared).toEqual([instanceOf(3)]);
    expect(world.inService).not.toContain(3);
  });
});
describe("a reboot", () => {
  it("works", async () => {
    const world = new RepairWorld({settings: {REPAIR_OVERRIDES: JSON.stringify([{condition:"KernelReady", reason:"*", minutes: 10, action:"reboot"}])}});
    world.kernel(3, "False", "ForkFailed");
    world.in(minutes(19), () => world.kernel(3, "True"));

    await world.goOn(hours(1));

    console.log(world.entries.filter(e=>e.kind!=='heartbeat').map(e=>JSON.stringify(e)).join("\n"));
    expect(world.repaired).toMatchObject([{ index: 3, how: "reboot" }]);
  });
});
