import { describe, expect, it } from "vitest";
import { hours, milliseconds, minutes, seconds } from "../../lambda/base/time.ts";
import { type UpgradeOptions, usualOptions } from "../../lambda/upgrade/options.ts";
import type { UpgradeCommand } from "../../lambda/upgrade/upgrade-message.ts";
import { groupDefaults, type TemplateOverride } from "../../sandbox/aws/group.ts";
import { well } from "../world/fault-plan.ts";
import { UpgradeWorld } from "../world/upgrade-world.ts";
import { deploy } from "../world/workloads.ts";
import { nodeOf } from "../world/world-options.ts";

const templatesOf = (world: UpgradeWorld) => [
  ...new Set(world.instances.map(({ template }) => `${template.id} ${template.version}`)),
];

/** A group of three with a mixed instances policy. */
function aMixedWorld(...overrides: readonly TemplateOverride[]): UpgradeWorld {
  const world = new UpgradeWorld({ size: 3 });
  world.aws.autoScaling.register.put({ ...world.group, overrides });
  deploy(world, { name: "web", on: { 1: 1, 2: 1, 3: 1 } });
  return world;
}

/** Has the group keep its version, so that only hands and age make nodes old. */
async function renewed(world: UpgradeWorld, options: Partial<UpgradeOptions>): Promise<void> {
  const start = { kind: "start", id: "0badcafe", to: { kind: "as-it-is" } } as const;
  world.command({ ...start, options: { ...usualOptions, ...options } } as UpgradeCommand);
  await world.work();
}

describe("a group with a mixed instances policy", () => {
  const types = ["m5.large", "m6i.large"] as const;

  it("gets the new version, and keeps its overrides", async () => {
    const overrides = types.map((type) => ({ type, template: "of-policy" as const }));
    const world = await aMixedWorld(...overrides).upgraded();

    expect(world.ended).toBe("done");
    expect(world.versions).toEqual(["2"]);
    expect(world.group).toMatchObject({ overrides, template: { version: "2" } });
    expect(world.instances.map(({ type }) => type)).toEqual(Array(3).fill("m5.large"));
  });

  it("has new nodes of the template of an override, which are not old", async () => {
    const template = { ...groupDefaults.template, id: "lt-00000000000000099" };
    const world = aMixedWorld({ type: "m5.large", template });
    world.aws.autoScaling.templates.adopt(template);
    await world.upgraded();

    expect(world.ended).toBe("done");
    expect(templatesOf(world)).toEqual([`${template.id} 1`]);
    expect(world.replaced).toHaveLength(3);
  });

  it("has no replacement of an override's template ended that is not ready yet, after an abort", async () => {
    const template = { ...groupDefaults.template, id: "lt-00000000000000099" };
    const world = aMixedWorld({ type: "m5.large", template });
    world.aws.autoScaling.templates.adopt(template);
    let terminated = 0;
    world.faults = ({ what }) => {
      if (!what.endsWith("TerminateInstanceInAutoScalingGroup")) return well;
      if (terminated === 0)
        world.in(seconds(20), () => world.command({ kind: "abort", id: "aaaaaaaa" }));
      terminated += 1;
      return well;
    };
    world.start({ strategy: "MINIMAL" });
    await world.workFor(hours(1));

    expect(world.ended).toBe("aborted");
    expect(terminated).toBe(1);
  });
});

describe("a node that is older than it may be", () => {
  it("is replaced, and younger ones of the same version stay", async () => {
    const world = new UpgradeWorld({ size: 2 });
    world.pass(hours(2));
    const { autoScaling } = world.aws;
    autoScaling.update(world.group.name, { DesiredCapacity: 3 });
    world.pass(minutes(5));
    await renewed(world, { maxAge: hours(1) });

    expect(world.ended).toBe("done");
    expect(world.replaced.toSorted()).toEqual([nodeOf(1), nodeOf(2)]);
    expect(world.versions).toEqual(["1"]);
  });

  it("is as old as it was when the upgrade began, so that one ends whose new nodes grow old", async () => {
    const world = new UpgradeWorld({ size: 2 });
    world.pass(minutes(2));
    await renewed(world, { maxAge: milliseconds(seconds(60)), afterDrain: minutes(5) });

    expect(world.ended).toBe("done");
    expect(world.replaced).toHaveLength(2);
  });
});

it("a group that launches by a launch configuration is refused with what to do, and is left as it was", async () => {
  const world = new UpgradeWorld({ size: 2 });
  const template = { ...world.group.template, kind: "configuration", name: "workers-old" } as const;
  world.aws.autoScaling.register.put({ ...world.group, template });
  await renewed(world, {});

  expect(world.ended).toMatch(
    /^refused: AutoScalingGroupInvalidConfiguration: .*workers-old.* give the group a launch template first/,
  );
  expect(Object.keys(world.ownTags)).toEqual(["upgrade-ended", "upgrade-ended-issue"]);
  expect(world.traces).toEqual([]);
});
