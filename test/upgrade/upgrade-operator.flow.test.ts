import { describe, expect, it } from "vitest";
import { hours } from "../../lambda/base/time.ts";
import { UpgradeWorld } from "../world/upgrade-world.ts";

const operator = "eks.amazonaws.com";

describe("the upgrade of a group that belongs to a service", () => {
  it("is refused once and for all, and writes nothing, not even a tag", async () => {
    const world = new UpgradeWorld({ size: 2 });
    const { register } = world.aws.autoScaling;
    register.put({ ...world.group, operator });
    world.start();
    await world.workFor(hours(1));

    const [said, ...more] = world.told("upgrade-answered");
    expect(said?.end).toEqual({
      kind: "refused",
      reasons: [
        `OperationNotPermitted: group ${world.group.name} belongs to the service ${operator} (its Operator), which alone may change it`,
      ],
    });
    expect(more).toEqual([]);
    expect(world.ownTags).toEqual({});
    expect(world.traces).toEqual([]);
    expect(world.versions).toEqual(["1"]);
  });
});
