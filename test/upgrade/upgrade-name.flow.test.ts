import { expect, it } from "vitest";
import { hours, minutes } from "../../lambda/base/time.ts";
import { usualOptions } from "../../lambda/upgrade/options.ts";
import type { UpgradeCommand } from "../../lambda/upgrade/upgrade-message.ts";
import { type Fault, well } from "../world/fault-plan.ts";
import { UpgradeWorld } from "../world/upgrade-world.ts";
import { deploy } from "../world/workloads.ts";
import { group } from "../world/world-options.ts";

const image = "ami-00000000000000003";

/** A group with two nodes of version 1, which is the default; the latest one is version 2. */
function aWorldBy(Version: "$Default" | "$Latest"): UpgradeWorld {
  const world = new UpgradeWorld({ size: 2 });
  const { id: LaunchTemplateId } = world.group.template;
  world.aws.autoScaling.update(group, { LaunchTemplate: { LaunchTemplateId, Version } });
  world.aws.records.addImage(image);
  return world;
}

/** A budget that no drain gets past. */
function block(world: UpgradeWorld): void {
  deploy(world, { name: "web", on: { 1: 1 } });
  world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
}

const targets = {
  "the version that it means": { kind: "as-it-is" },
  "a number": { kind: "version", version: 2 },
  "an image": { kind: "image", image },
} as const;

type To = (typeof targets)[keyof typeof targets];

function start(world: UpgradeWorld, to: To, id = "0badcafe"): void {
  const options = { ...usualOptions, drainTimeout: minutes(2), lookEvery: minutes(2) };
  world.command({ kind: "start", id, to, options } as UpgradeCommand);
}

/** The image that the group launches next. */
const launches = (world: UpgradeWorld): string => {
  const { id: LaunchTemplateId, version } = world.group.template;
  return world.aws.autoScaling.templates.version({ LaunchTemplateId }, version).template.imageId;
};

const { "the version that it means": _, ...others } = targets;
const cases = [
  ...Object.entries(targets).map(([what, to]) => ({ name: "$Latest" as const, what, to })),
  ...Object.entries(others).map(([what, to]) => ({ name: "$Default" as const, what, to })),
];

it.each(cases)(
  "names $name again after it failed in the phase Upgrade to $what",
  async ({ name, to }) => {
    const world = aWorldBy(name);
    block(world);
    start(world, to);
    await world.work();

    expect(world.ended).toMatch(/^failed: PodEvictionFailure/);
    expect(world.group.template.version).toBe(name);
  },
);

it.each(["the version that it means", "an image"] as const)(
  "goes on to %s, and by that version alone, after Terraform has named $Latest again midway",
  async (what) => {
    const world = aWorldBy("$Latest");
    start(world, targets[what]);
    const named: unknown[] = [];
    const { id: LaunchTemplateId } = world.group.template;
    world.in(minutes(4), () => {
      named.push(world.group.template.version);
      const LaunchTemplate = { LaunchTemplateId, Version: "$Latest" };
      world.aws.autoScaling.update(group, { LaunchTemplate });
    });
    world.in(minutes(7), () => named.push(world.group.template.version));
    await world.work();

    expect(named).toEqual(Array(2).fill(what === "an image" ? "3" : "2"));
    expect(world.ended).toBe("done");
    expect(world.group.template.version).toBe("$Latest");
  },
);

it.each(cases)("names $name again after an abort on the way to $what", async ({ name, to }) => {
  const world = aWorldBy(name);
  const before = launches(world);
  start(world, to);
  world.in(minutes(4), () => world.command({ kind: "abort", id: "aaaaaaaa" }));
  await world.work();

  expect(world.ended).toBe("aborted");
  expect(world.group.template.version).toBe(name);
  expect(launches(world)).toBe(before);
});

it.each(["goes on", "dies"])(
  "means the image of before after an abort, though a slow start makes its version later, and then %s",
  async (then) => {
    const world = aWorldBy("$Latest");
    const before = launches(world);
    const slow: Fault[] = [{ kind: "cluster-fault", fault: "hang", moment: "before" }];
    const dies: Fault[] = then === "dies" ? [{ kind: "death", moment: "after" }] : [];
    world.faults = ({ what }) => {
      if (what.endsWith("CreateLaunchTemplateVersion")) return dies.pop() ?? well;
      if (what !== "list pods" || slow.length === 0) return well;
      world.command({ kind: "abort", id: "aaaaaaaa" });
      return slow.pop() ?? well;
    };
    start(world, targets["an image"]);
    await world.work();

    expect(world.told("upgrade-answered").map(({ command }) => command)).toEqual([
      "abort",
      "start",
    ]);
    expect(world.ended).toBe("aborted");
    expect(world.group.template.version).toBe("$Latest");
    expect(launches(world)).toBe(before);
    expect(world.traces).toEqual([]);
  },
);

it("an abort ends no replacement that is not ready yet, where the name of before would launch the same version again", async () => {
  const world = new UpgradeWorld({ size: 2, joining: { readies: minutes(3) } });
  const { id: LaunchTemplateId } = world.group.template;
  world.aws.autoScaling.update(group, { LaunchTemplate: { LaunchTemplateId, Version: "$Latest" } });
  const terminated: string[] = [];
  world.faults = ({ what }) => {
    if (what.endsWith("TerminateInstanceInAutoScalingGroup")) {
      if (terminated.length === 0)
        world.in(minutes(1), () => world.command({ kind: "abort", id: "aaaaaaaa" }));
      terminated.push(what);
    }
    return well;
  };
  world.start({ strategy: "MINIMAL" });
  await world.workFor(hours(1));

  expect(world.ended).toBe("aborted");
  expect(terminated).toHaveLength(1);
  expect(world.instances).toHaveLength(2);
});
