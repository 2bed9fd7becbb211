import { expect, it } from "vitest";
import { main } from "../../../cli/main.ts";
import { terminateAction } from "../../../sandbox/scenarios/demo-action.ts";
import { capturedIo } from "../captured-io.ts";
import { aSite } from "../connect/a-site.ts";
import { aSiteWithUpgrades } from "../upgrade/a-site-with-upgrades.ts";
import { aPlanner, claim } from "./a-planner.ts";

const node = "ip-192-168-43-17.eu-west-1.compute.internal";
const broken = "budget-blocked";

/** Runs a command that changes nothing, and expects that nothing is forbidden. */
async function told(...words: readonly string[]): Promise<string> {
  const io = capturedIo();
  const code = await main(words, io);
  expect(io.out() + io.err()).not.toContain("forbidden");
  expect([0, 3]).toContain(code);
  return io.out();
}

it.each([2, 101])("plan makes do with the rights that it lists, with %i claims", async (count) => {
  const site = await aSite({ ...aPlanner(), broken });
  claim(site, { node, count });

  expect(await told("plan", "--cluster", "demo", node)).toContain("db-1");
});

it("the dry run of an upgrade makes do with the rights of a plan", async () => {
  const site = await aSiteWithUpgrades({ ...aPlanner(), broken });
  claim(site, { node, count: 2 });
  const how = ["--launch-template-version", "2", "--dry-run"];

  const plan = await told("upgrade", terminateAction.group, "--cluster", "demo", ...how);

  expect(plan).toContain(node);
});
