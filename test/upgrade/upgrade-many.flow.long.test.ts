import { expect, it } from "vitest";
import { UpgradeWorld, zones } from "../world/upgrade-world.ts";
import { deploy } from "../world/workloads.ts";

it("upgrades 500 nodes, a fifth at a time, with few requests and receives for each", {
  timeout: 900_000,
}, async () => {
  const size = 500;
  const world = new UpgradeWorld({ size, zones, max: 700 });
  const on = Object.fromEntries(Array.from({ length: size }, (_, index) => [index + 1, 1]));
  deploy(world, { name: "web", on });
  world.cluster.addBudget({ name: "web", maxUnavailable: "20%" });
  await world.upgraded({ maxUnavailable: { kind: "percentage", value: 20 } });

  expect(world.ended).toBe("done");
  expect(world.versions).toEqual(["2"]);
  expect(world.requests.length / size).toBeLessThan(47);
  expect(world.told("upgrade-pass").length / size).toBeLessThan(1.5);
});
