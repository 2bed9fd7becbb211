import { expect, it } from "vitest";
import { between, later, seconds } from "../../lambda/base/time.ts";
import { throttled } from "../../sandbox/kubernetes/api/planned-faults.ts";
import { changeBudget } from "../world/change.ts";
import { endingsIn } from "../world/evidence.ts";
import { well } from "../world/fault-plan.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy } from "../world/workloads.ts";

it("a server that throttles one drain gets no eviction from another, whose pods may go just then", async () => {
  const world = new VirtualWorld({ nodes: 3 });
  deploy(world, { name: "web", on: { 1: 1 } });
  deploy(world, { name: "shop", on: { 2: 2 } });
  world.cluster.addBudget({ name: "shop", maxUnavailable: 0 });
  world.pass(seconds(10));
  const start = world.timeline.now();
  world.faults = ({ what }) =>
    what === "create pods/eviction web-1" && world.timeline.now() < later(start, seconds(10))
      ? { kind: "cluster-fault", fault: throttled(20), moment: "before" }
      : well;
  world.terminate(1);
  world.terminate(2);
  world.in(seconds(5), () => changeBudget(world, "shop", { maxUnavailable: 2 }));
  await world.work();
  const [first, ...others] = world.requests
    .filter(({ what }) => what.startsWith("create pods/eviction"))
    .map(({ at }) => between(start, at));
  expect(first).toBeLessThan(seconds(1));
  expect(others).toHaveLength(3);
  expect(Math.min(...others)).toBeGreaterThanOrEqual(seconds(20));
  expect(endingsIn(world)).toEqual(["CONTINUE by call", "CONTINUE by call"]);
});
