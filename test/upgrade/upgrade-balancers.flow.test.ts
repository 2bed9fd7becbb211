import { describe, expect, it } from "vitest";
import { hours, minutes, seconds } from "../../lambda/base/time.ts";
import { tryWindow } from "../../lambda/upgrade/window.ts";
import { excludeLabelledNodes } from "../../sandbox/cloud-controller.ts";
import { UpgradeWorld } from "../world/upgrade-world.ts";
import { group, indexOf, instanceOf } from "../world/world-options.ts";

const port = 30080;
// Such as nodes whose ingress controller takes long to start.
const warmUp = minutes(4);

/** A group behind a target group, whose new nodes are registered at once and healthy after four minutes. */
function aWorld(answers: "after the warm-up" | "never" = "after the warm-up") {
  const world = new UpgradeWorld({ size: 3 });
  const inService = new Map<string, number>();
  const isHealthy = (instance: string) =>
    indexOf(instance) <= 3 ||
    (answers !== "never" &&
      world.timeline.now() >= (inService.get(instance) ?? Number.POSITIVE_INFINITY) + warmUp);
  const web = world.aws.elb.create({ name: "web", delay: seconds(60), answers: isHealthy });
  for (let index = 1; index <= 3; index += 1) web.register(instanceOf(index), port, "healthy");
  world.aws.autoScaling.onChange(({ id, state, group: own }) => {
    if (own !== group || state !== "InService" || inService.has(id)) return;
    inService.set(id, world.timeline.now());
    web.register(id, port);
  });
  excludeLabelledNodes(world);
  return { world, web };
}

/** Sends requests to the target group, one a second, and returns how many have failed. */
function used({ world, web }: ReturnType<typeof aWorld>): () => number {
  let failed = 0;
  const send = () => {
    const way = web.request();
    if (way === undefined) failed += 1;
    else world.in(seconds(1), way.end);
    world.in(seconds(1), send);
  };
  send();
  return () => failed;
}

const firstChosen = (world: UpgradeWorld) =>
  world.told("upgrade-nodes").find(({ deed }) => deed === "chosen")?.at ?? 0;

describe("the old nodes behind a target group", () => {
  it("leave it only while as many new ones are in service, so that no request fails", async () => {
    const made = aWorld();
    const { world } = made;
    const failures = used(made);
    await world.upgraded();

    expect(world.ended).toBe("done");
    expect(failures()).toBe(0);
    const held = world.told("upgrade-held").map(({ reason }) => reason);
    expect(held).toContain("target group web would have 2 instances in service of 3");
  });

  it("have as long after a maintenance window was closed, or a node was blocked", async () => {
    const { world } = aWorld("never");
    const opens = Math.ceil(world.timeline.now() / minutes(1)) * minutes(1) + minutes(20);
    const [from, to] = [opens, opens + hours(2)].map((at) =>
      new Date(at).toISOString().slice(11, 16),
    );
    const window = tryWindow(`Sun+Mon+Tue+Wed+Thu+Fri+Sat/${from}-${to}`) ?? "always";
    await world.upgraded({ window });

    expect(world.ended).toBe("done");
    expect(firstChosen(world) - opens).toBeGreaterThan(minutes(4.5));
  });

  it("would fail requests for minutes if they left all at once, as those of a managed group do", async () => {
    const made = aWorld();
    const { world } = made;
    const failures = used(made);
    world.in(minutes(2), () => {
      for (let index = 1; index <= 3; index += 1) world.aws.elb.exclude(instanceOf(index));
    });
    await world.upgraded();

    expect(world.ended).toBe("done");
    expect(failures()).toBeGreaterThan(100);
  });

  it("leave it after five minutes where new nodes get in service only once pods move there", async () => {
    const { world } = aWorld("never");
    const began = world.timeline.now();
    await world.upgraded();

    expect(world.ended).toBe("done");
    expect(firstChosen(world) - began).toBeGreaterThan(minutes(5));
    expect(firstChosen(world) - began).toBeLessThan(minutes(8));
  });
});
