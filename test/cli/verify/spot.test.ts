import { describe, expect, it } from "vitest";
import { seconds } from "../../../lambda/base/time.ts";
import { askedActions } from "../connect/asked-actions.ts";
import {
  aGroup,
  aSpotGroup,
  assertNothingLeft,
  foundOf,
  groupNow,
  idsOf,
  membersOf,
  role,
  spot,
  told,
  tracesIn,
  verify,
} from "./a-group.ts";
import { unnamed } from "./unnamed.ts";

describe("verify --spot", () => {
  it("has an interruption drain the node before its end, ends the replacement, and leaves nothing behind", async () => {
    const site = await aSpotGroup();
    const before = tracesIn(site);
    const own = idsOf(site);
    const asked = askedActions(site);

    const { states, promises, line } = await told(0, ...spot, "--patience", "60s");

    expect(states, JSON.stringify(promises)).toEqual({
      "launch hook": "kept",
      registration: "kept",
      "mark first": "kept",
      budget: "kept",
      requests: "kept",
      volumes: "left out",
      release: "kept",
      "other nodes": "kept",
      size: "kept",
    });
    expect(line).toMatchObject({ exitCode: 0, left: [] });
    expect(unnamed(asked, "In AWS", "With `--spot`")).toEqual([]);
    expect(unnamed(asked, "In AWS")).not.toEqual([]);
    assertNothingLeft(site, before, own);
  }, 400_000);

  it("finds that EC2 ended the instance while pods were on its node, and still leaves nothing behind", async () => {
    const site = await aSpotGroup({ minute: seconds(0.5) });
    const before = tracesIn(site);
    const own = idsOf(site);

    const { states, promises } = await told(3, ...spot);

    expect(states["release"]).toBe("broken");
    expect(foundOf(promises, "release")).toBe(
      "the instance was ended by EC2 while pods were on its node",
    );
    assertNothingLeft(site, before, own);
  }, 400_000);

  it("says why the service could not interrupt, and leaves nothing behind", async () => {
    const site = await aSpotGroup({ service: "lambda" });
    const before = tracesIn(site);
    const own = idsOf(site);
    const { io, code } = verify("--yes", ...spot);

    expect(await code, io.err()).toBe(1);

    expect(io.err()).toContain("the experiment has failed: Unable to assume role.");
    expect(io.err()).toContain(`see that role ${role} trusts fis.amazonaws.com`);
    assertNothingLeft(site, before, own);
  }, 400_000);

  it("takes back an instance that is no Spot Instance", async () => {
    const site = await aSpotGroup();
    const before = tracesIn(site);
    const own = idsOf(site);
    site.aws.autoScaling.register.put({ ...groupNow(site), lifecycle: "on-demand" });
    const { io, code } = verify("--yes", ...spot);

    expect(await code).toBe(1);

    expect(io.err()).toMatch(/i-[\da-f]+, which group .* has launched, is no Spot Instance/);
    assertNothingLeft(site, before, own);
  }, 400_000);

  it.each([
    ["without a role", ["--spot"], "needs the role that the fault injection service assumes"],
    ["with no role's ARN", ["--spot", "--fis-role", "fis"], "fis is no ARN of a role"],
  ])("refuses %s before it changes anything", async (_, args, why) => {
    const site = await aSpotGroup();
    const { io, code } = verify("--yes", ...args);

    expect(await code).toBe(2);

    expect(io.err()).toContain(why);
    expect(io.err()).toContain("nothing was changed");
    expect(membersOf(site)).toHaveLength(6);
  });

  it("refuses a group without Spot Instances, and an account that may not use the service", async () => {
    const site = await aGroup();
    const { io, code } = verify("--yes", ...spot);

    expect(await code).toBe(1);
    site.aws.authorize = ({ action }) => (action.startsWith("fis:") ? "denied" : "allowed");
    const denied = verify("--yes", ...spot);
    expect(await denied.code).toBe(1);

    expect(io.err()).toContain("has no Spot Instance, and FIS interrupts no other");
    expect(denied.io.err()).toContain("asking FIS for GetAction: HTTP 403 AccessDenied");
    expect(tracesIn(site)).toMatchObject({ tags: [], members: 6, namespace: false });
  });

  it("wants consent for two instances", async () => {
    const site = await aSpotGroup();
    const { io, code } = verify(...spot);

    expect(await code).toBe(3);

    expect(io.err()).toContain("end the one that the group launches in its place");
    expect(io.err()).toContain("the price of two such instances");
    expect(membersOf(site)).toHaveLength(6);
  });
});

describe("verify --clean-up --spot", () => {
  it("deletes the template of a trial that was killed, and no other", async () => {
    const site = await aSpotGroup();
    const template = { roleArn: role, instances: [], lasts: 3 };
    const { name } = groupNow(site);
    site.aws.fis.makeTemplate({ ...template, tags: { "eks-node-lifecycle/verify": name } });
    const other = site.aws.fis.makeTemplate({ ...template, tags: {} });

    expect(await verify("--clean-up", "--spot").code).toBe(0);

    expect(site.aws.fis.templates()).toEqual([other]);
  });
});
