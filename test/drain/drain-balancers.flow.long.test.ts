import { expect, it } from "vitest";
import { seconds } from "../../lambda/base/time.ts";
import { excludeLabelledNodes } from "../../sandbox/cloud-controller.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { instanceOf } from "../world/world-options.ts";

const nodes = 300;
const groups = 10;

/** A cluster whose nodes are targets of every group. */
function aLargeWorld(): VirtualWorld {
  const world = new VirtualWorld({ nodes });
  for (let group = 1; group <= groups; group += 1) {
    const pool = world.aws.elb.create({ name: `web-${group}`, delay: seconds(60) });
    for (let index = 1; index <= nodes; index += 1)
      pool.register(instanceOf(index), 30080, "healthy");
  }
  excludeLabelledNodes(world);
  return world;
}

it("300 nodes that end at once behind ten target groups ask for them once a second and process", async () => {
  const world = aLargeWorld();
  const begun = world.timeline.now();
  for (let index = 1; index <= nodes; index += 1) world.terminate(index);
  await world.work();
  const took = (world.timeline.now() - begun) / 1000;
  expect(world.told("notice-done")).toHaveLength(nodes);
  const asked = ["DescribeTargetHealth", "DescribeTargetGroups", "DescribeTargetGroupAttributes"];
  const [looks = 0, lists = 0, delays = 0] = asked.map((name) => world.aws.calls.of(name).length);
  const processes = 10;
  expect(lists).toBeLessThanOrEqual(processes);
  expect(delays).toBeLessThanOrEqual(processes * groups);
  // One a second, and the first look at each group.
  expect(looks).toBeLessThanOrEqual(processes * (took + groups));
  expect(world.told("fault")).toEqual([]);
});
