import { describe, expect, it } from "vitest";
import { hours, minutes, timestamp } from "../../lambda/base/time.ts";
import { tryFailing } from "../../lambda/upgrade/bookmark-tags.ts";
import { usualOptions } from "../../lambda/upgrade/options.ts";
import type { UpgradeCommand } from "../../lambda/upgrade/upgrade-message.ts";
import { awsFailing, failing, well } from "../world/fault-plan.ts";
import { UpgradeWorld } from "../world/upgrade-world.ts";
import { group, nodeOf } from "../world/world-options.ts";
import { expectsNoSecond } from "./second-upgrade.ts";

const denied = { status: 403, code: "AccessDenied", message: "not allowed" } as const;
const forbidden = { status: 403, body: { kind: "Status", code: 403, message: "no" } } as const;

const failingIn = ({ group: { tags } }: UpgradeWorld) =>
  tryFailing(Object.fromEntries(tags.map(({ key, value }) => [key, value])));

describe("an upgrade whose passes fail", () => {
  it("says with which fault and since when, and no longer once they do not", async () => {
    const world = new UpgradeWorld({ size: 2 });
    world.start({ surge: 1 });
    await world.workFor(minutes(1));
    world.faults = failing(/^list nodes/, forbidden);
    const began = world.timeline.now();
    await world.workFor(minutes(30));

    const told = failingIn(world);
    expect(told?.fault).toMatch(/^cluster\.forbidden: listing nodes: HTTP 403/);
    expect((told?.since ?? 0) - began).toBeLessThan(minutes(1));

    world.faults = () => well;
    await world.workFor(minutes(5));
    expect(failingIn(world)).toBeUndefined();
    await world.work();
    expect(world.ended).toBe("done");
  });

  it("does not count that time as the one that new nodes have", async () => {
    const world = new UpgradeWorld({ size: 2 });
    world.faults = awsFailing(/UpdateAutoScalingGroup/, denied);
    world.in(hours(1), () => {
      world.faults = () => well;
    });
    await world.upgraded({ surge: 1 });

    expect(world.ended).toBe("done");
    expect(world.versions).toEqual(["2"]);
  });

  it("has other nodes, which get no longer than 30 minutes in all but that time", async () => {
    const world = new UpgradeWorld({ size: 2, joining: { node: () => ({ state: "not-ready" }) } });
    world.start({ surge: 1 });
    await world.workFor(minutes(10));
    world.faults = failing(/^list nodes/, forbidden);
    await world.workFor(minutes(60));
    world.faults = () => well;
    const allowed = world.timeline.now();
    await world.work();

    expect(world.ended).toMatch(/^failed: NodeCreationFailure/);
    const failed = world.told("upgrade-failing").at(-1)?.at ?? 0;
    expect(failed - allowed).toBeGreaterThan(minutes(15));
    expect(failed - allowed).toBeLessThan(minutes(25));
  });

  it("says so before it has begun, keeps a second one from beginning, and is called off", async () => {
    const world = new UpgradeWorld({ size: 2 });
    world.faults = awsFailing(/DescribeInstanceRefreshes/, denied);
    const began = world.timeline.now();
    world.start({ surge: 1 });
    await world.workFor(minutes(30));

    expect(failingIn(world)?.fault).toMatch(/^aws\.denied: looking for instance refreshes/);
    expect(world.ownTags["upgrade-waiting"]).toBe(`id=0badcafe until=${timestamp(began)}`);
    expect({ ...world.group, tags: [] }).toEqual({ ...world.before, tags: [] });
    await expectsNoSecond(world);
  });

  it("begins by itself once it may", async () => {
    const world = new UpgradeWorld({ size: 2 });
    world.faults = awsFailing(/DescribeInstanceRefreshes/, denied);
    world.in(hours(1), () => {
      world.faults = () => well;
    });
    await world.upgraded({ surge: 1 });

    expect(world.ended).toBe("done");
    expect(Object.keys(world.ownTags)).toEqual(["upgrade-ended"]);
  });

  it("says so too where only the end of a drain fails, longer than a drain lasts", async () => {
    const world = new UpgradeWorld({ size: 2 });
    world.faults = failing(/^get nodes/, forbidden);
    world.start({ surge: 1, drainTimeout: minutes(5) });
    await world.workFor(minutes(30));

    expect(failingIn(world)?.fault).toMatch(/^cluster\.forbidden: reading node/);
    world.faults = () => well;
    await world.work();
    expect(world.ended).toBe("done");
  });
});

describe("an upgrade that may not read scaling activities", () => {
  it("goes on, for they say only why nothing is launched", async () => {
    const world = new UpgradeWorld({ size: 2 });
    world.faults = awsFailing(/DescribeScalingActivities/, denied);
    await world.upgraded({ surge: 1 });

    expect(world.ended).toBe("done");
    expect(new Set(world.told("fault").map(({ code }) => code))).toEqual(new Set(["aws.denied"]));
  });
});

describe("an upgrade to an image that is aborted", () => {
  it("has the group launch the old image, though it may add no version by then", async () => {
    const world = new UpgradeWorld({ size: 2 });
    const image = "ami-0123456789abcdef1";
    const { autoScaling, records } = world.aws;
    records.addImage(image, { kubelet: "v1.36.0" });
    const { id } = world.group.template;
    autoScaling.update(group, { LaunchTemplate: { LaunchTemplateId: id, Version: "$Latest" } });
    const before = autoScaling.templates.resolved(world.group.template);
    const options = { ...usualOptions, surge: 1 };
    const start = { kind: "start", id: "0badcafe", to: { kind: "image", image }, options } as const;
    world.command(start as UpgradeCommand);
    await world.workFor(minutes(1));
    world.faults = awsFailing(/CreateLaunchTemplateVersion/, {
      ...denied,
      code: "UnauthorizedOperation",
    });
    world.command({ kind: "abort", id: "aaaaaaaa" });
    await world.work();

    expect(world.ended).toBe("aborted");
    expect(autoScaling.templates.resolved(world.group.template)).toEqual(before);
    expect(world.nodes.map(({ metadata }) => metadata.name).toSorted()).toEqual([
      ...[nodeOf(1), nodeOf(2)].toSorted(),
    ]);
  });
});
