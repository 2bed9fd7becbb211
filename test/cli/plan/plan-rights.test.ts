import { matchesGlob } from "node:path";
import { expect, it } from "vitest";
import { main } from "../../../cli/main.ts";
import { planActions } from "../../../cli/plan/plan-rights.ts";
import { terminateAction } from "../../../sandbox/scenarios/demo-action.ts";
import { capturedIo } from "../captured-io.ts";
import { aSite } from "../connect/a-site.ts";
import { askedActions } from "../connect/asked-actions.ts";
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

const plans = [["demo"], ["--cluster", "demo", terminateAction.group], ["--cluster", "demo", node]];

it("plan lists every call that it makes in AWS, and no other", async () => {
  const asked = askedActions(await aSite({ broken }));

  for (const words of plans) await told("plan", ...words);

  const listed = [...asked].map(
    (action) => planActions.find((one) => matchesGlob(action, one)) ?? action,
  );
  expect(new Set(listed)).toEqual(new Set(planActions));
});

it.each(planActions.slice(1))("plan tells the rest without %s", async (lacking) => {
  const { aws } = await aSite({ broken });
  aws.authorize = ({ principal, action }) =>
    principal.includes("/person/") && matchesGlob(action, lacking) ? "denied" : "allowed";

  // Only the plan of a group tells of zonal shifts.
  const whole = lacking.startsWith("arc-") ? terminateAction.group : node;
  const plan = await told("plan", "--cluster", "demo", whole);

  expect(plan).toContain(node);
  expect(plan).toMatch(/aws\.denied: .* perform: /);
});

it("the dry run of an upgrade makes do with the rights of a plan", async () => {
  const site = await aSiteWithUpgrades({ ...aPlanner(), broken });
  claim(site, { node, count: 2 });
  const how = ["--launch-template-version", "2", "--dry-run"];

  const plan = await told("upgrade", terminateAction.group, "--cluster", "demo", ...how);

  expect(plan).toContain(node);
});
