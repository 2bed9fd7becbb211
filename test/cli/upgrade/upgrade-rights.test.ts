import { expect, it } from "vitest";
import { main } from "../../../cli/main.ts";
import { upgradeActions } from "../../../cli/upgrade/upgrade-site.ts";
import { terminateAction } from "../../../sandbox/scenarios/demo-action.ts";
import { capturedIo } from "../captured-io.ts";
import { aSiteWithUpgrades, tag, underWay } from "./a-site-with-upgrades.ts";

const { group } = terminateAction;
const warmPool = { kind: "pool", state: "Stopped", onScaleIn: "reuse" } as const;

it("upgrade makes every call that it says it needs in AWS, and no other", async () => {
  const site = await aSiteWithUpgrades();
  const { register } = site.aws.autoScaling;
  register.put({ ...register.findGroup(group), warmPool });
  // A node without a provider ID may be that of an instance without a node.
  const id = "i-0fffffffffffffff3";
  site.aws.ec2.run({ id, zone: "eu-west-1a", privateIp: "192.168.99.9" });
  site.aws.autoScaling.attach({ id, zone: "eu-west-1a", group });
  site.cluster.addNode({ name: "of-nobody" });
  const asked = new Set<string>();
  const io = capturedIo();
  site.aws.authorize = ({ principal, action }) => {
    if (principal.includes("/person/")) asked.add(action);
    if (action === "logs:FilterLogEvents") io.interrupt();
    return "allowed";
  };
  const run = (...words: readonly string[]) =>
    main(["upgrade", ...words, group, "--cluster", "demo"], io);

  expect(await run("--launch-template-version", "2", "--dry-run")).toBe(3);
  expect(await run("--launch-template-version", "2", "--follow")).toBe(3);
  tag(site, underWay());
  for (const verb of ["status", "pause", "resume", "abort"]) expect(await run(verb)).toBe(0);

  expect([...asked].toSorted()).toEqual(upgradeActions.toSorted());
});
