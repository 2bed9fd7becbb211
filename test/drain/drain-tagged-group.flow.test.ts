import { describe, expect, it } from "vitest";
import { endingsIn, evictedIn, outcomesIn } from "../world/evidence.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn } from "../world/workloads.ts";

const tag = { key: "example.com/cluster", value: "demo" };

/** A world whose group is not named, but chosen by a tag, if it has that. */
function aWorld(tags: Readonly<Record<string, string>>): VirtualWorld {
  const settings = { MANAGED_GROUPS: JSON.stringify([tag]) };
  const world = new VirtualWorld({ settings, tags });
  deploy(world, { name: "web", on: { 1: 2 } });
  world.terminate(1);
  return world;
}

describe("a group that is not named", () => {
  it("is drained if it has the tag by which groups are chosen", async () => {
    const world = aWorld({ [tag.key]: tag.value });
    await world.work();
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(evictedIn(world)).toHaveLength(2);
    const descriptions = world.aws.calls.of("DescribeAutoScalingGroups");
    expect(descriptions).toHaveLength(world.told("pass-started").length);
  });

  it.each([{}, { [tag.key]: "other" }])("is ignored if its tags are %j", async (tags) => {
    const world = aWorld(tags);
    await world.work();
    expect(endingsIn(world)).toEqual(["open"]);
    expect(namesOn(world, 1)).toHaveLength(2);
    expect(outcomesIn(world)).toMatchObject([
      {
        kind: "ignored",
        reason:
          "group workers is not managed here (managed: groups with the tag example.com/cluster=demo)",
      },
    ]);
  });
});
