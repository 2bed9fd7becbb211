import { describe, expect, it } from "vitest";
import { hours, milliseconds, minutes, seconds } from "../../lambda/base/time.ts";
import { tryWindow } from "../../lambda/upgrade/window.ts";
import { excludeLabelledNodes } from "../../sandbox/cloud-controller.ts";
import { well } from "../world/fault-plan.ts";
import { UpgradeWorld } from "../world/upgrade-world.ts";
import { group, indexOf, instanceOf } from "../world/world-options.ts";

const port = 30080;
// Such as nodes whose ingress controller takes long to start.
const warmUp = minutes(4);

/** A group behind a target group, whose new nodes are registered at once and healthy after four minutes. */
function aWorld(answers: "after the warm-up" | "never" = "after the warm-up", size = 3) {
  const world = new UpgradeWorld({ size });
  const inService = new Map<string, number>();
  const isHealthy = (instance: string) =>
    indexOf(instance) <= size ||
    (answers !== "never" &&
      world.timeline.now() >= (inService.get(instance) ?? Number.POSITIVE_INFINITY) + warmUp);
  const web = world.aws.elb.create({ name: "web", delay: seconds(60), answers: isHealthy });
  for (let index = 1; index <= size; index += 1) web.register(instanceOf(index), port, "healthy");
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

  it("hold it for an hour in all where new nodes never get in service, and the log says so", async () => {
    const { world } = aWorld("never", 14);
    const began = world.timeline.now();
    await world.upgraded({ surge: 1 });

    expect(world.ended).toBe("done");
    const warned = world.told("warning").filter(({ about }) => about === "load balancers");
    expect(warned.flatMap(({ warnings }) => warnings)).toEqual([
      "target group web would have 2 instances in service of 14; this upgrade has waited for it, and does so no more",
    ]);
    const chosen = world.told("upgrade-nodes").filter(({ deed }) => deed === "chosen");
    const waits = chosen.map(({ at }, place) => at - (chosen[place - 1]?.at ?? began));
    expect(waits.filter((wait) => wait > minutes(5))).toHaveLength(12);
    expect(waits).toHaveLength(14);
  });

  it("leave it in passes that end in time, though somebody has hundreds of target groups of them", async () => {
    const { world } = aWorld();
    for (let count = 0; count < 500; count += 1) {
      const pool = world.aws.elb.create({ name: `flood-${count}` });
      for (let index = 1; index <= 3; index += 1) pool.register(instanceOf(index), port, "healthy");
    }
    world.faults = ({ what }) => {
      if (/DescribeTargetHealth/.test(what)) world.timeline.pass(milliseconds(300));
      return well;
    };
    world.start({ surge: 1 });
    await world.workFor(minutes(6));

    const inPasses = world.requests.filter(({ pass }) => pass !== "none");
    const passes = [...Map.groupBy(inPasses, ({ pass }) => pass).values()];
    const lasted = passes.map((all) => (all.at(-1)?.at ?? 0) - (all[0]?.at ?? 0));
    expect(Math.max(...lasted)).toBeLessThan(minutes(2));
    const held = world.told("upgrade-held").map(({ reason }) => reason);
    expect(held.at(-1)).toMatch(/^(?:target group \S+ would have 2 [^;]*; ){10}and \d+ more$/);
    expect(world.ended).toBe("not yet");
  });
});
