import { expect, it } from "vitest";
import { aPlanner, claim } from "../plan/a-planner.ts";
import { aZone, cordoned, evacuated, first, second, webOn } from "./a-zone.ts";

it("evacuate makes do with the rights of a drain and of a plan", async () => {
  const site = await aZone(aPlanner("eks-node-lifecycle"));
  claim(site, { node: first, count: 2 });

  await evacuated(0, "--keep");

  expect(webOn(site, first, second)).toEqual([]);
  expect(cordoned(site, first, second)).toEqual([first, second]);
});
