import { expect, it } from "vitest";
import { minutes, seconds } from "../../lambda/base/time.ts";
import { endingsIn } from "../world/evidence.ts";
import { awsFailing } from "../world/fault-plan.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn } from "../world/workloads.ts";
import { instanceOf } from "../world/world-options.ts";

const denied = { status: 403, code: "AccessDenied", message: "no" } as const;
const outcomesOf = (world: VirtualWorld) =>
  world.told("notice-done").map(({ outcome: { kind } }) => kind);

it.each([
  ["denied", denied],
  ["down", "hang"],
] as const)("finds and drains a node by its provider ID while EC2 is %s", async (_, fault) => {
  const world = new VirtualWorld();
  deploy(world, { name: "web", on: { 1: 2 } });
  world.faults = awsFailing(/^ec2 /, fault);
  const begun = world.timeline.now();
  world.aws.autoScaling.terminate(instanceOf(1));

  await world.work();

  expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  expect(outcomesOf(world)).toContain("drained");
  expect(namesOn(world, 1)).toEqual([]);
  expect((world.told("hook-completed")[0]?.at ?? Number.NaN) - begun).toBeLessThan(minutes(3));
  expect(world.told("fault").length).toBeGreaterThan(0);
});

it("evicts nothing while the tags of its group cannot be read, and holds the instance no longer than a drain", async () => {
  const world = new VirtualWorld();
  deploy(world, { name: "web", on: { 1: 2 } });
  world.faults = awsFailing(/DescribeAutoScalingGroups/, denied);
  const begun = world.timeline.now();
  world.aws.autoScaling.terminate(instanceOf(1));

  await world.work();

  expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  expect(outcomesOf(world)).toContain("expired");
  expect(world.told("pod-evicted")).toEqual([]);
  expect((world.told("hook-completed")[0]?.at ?? Number.NaN) - begun).toBeLessThan(
    minutes(15) + seconds(30),
  );
});
