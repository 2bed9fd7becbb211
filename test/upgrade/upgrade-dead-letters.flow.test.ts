import { describe, expect, it } from "vitest";
import { hours, minutes, seconds } from "../../lambda/base/time.ts";
import { awsFailing, type Fault, well } from "../world/fault-plan.ts";
import { UpgradeWorld } from "../world/upgrade-world.ts";
import { deploy } from "../world/workloads.ts";

const death: Fault = { kind: "death", moment: "before" };
const options = { surge: 1, afterDrain: seconds(5) };

function aWorld(): UpgradeWorld {
  const world = new UpgradeWorld({
    size: 2,
    zones: ["eu-west-1a"],
    joining: { boot: seconds(10), readies: seconds(5) },
  });
  deploy(world, { name: "web", on: { 1: 1, 2: 1 } });
  return world;
}

/** Has the function crash until SQS gives its message up, and then be repaired. */
async function givenUp(world: UpgradeWorld): Promise<void> {
  world.faults = () => death;
  await world.work(hours(6));
  world.faults = () => well;
}

const deadIn = (world: UpgradeWorld) =>
  world.aws.sqs
    .findQueue("dead-letters")
    .contents()
    .map(({ message }) => message);

// The remedies of the runbook's alarm `upgrade-dead-letters`.
describe("a command to upgrade that is a dead letter, such as by crashes of the function", () => {
  it("has no reason, changes nothing if it never began, and the upgrade is started again", async () => {
    const world = aWorld();
    world.start(options);
    await givenUp(world);
    expect(deadIn(world).map(({ attributes }) => Object.keys(attributes))).toEqual([[]]);
    expect(world.ownTags).toEqual({});
    expect(world.traces).toEqual([]);

    world.start(options, "0000beef");
    await world.work();

    expect(world.ended).toBe("done");
    expect(world.versions).toEqual(["2"]);
  });

  it("is one at once where others have used up the tags of its group, and is started again after that", async () => {
    const world = aWorld();
    const message = "You have reached the limit of 50 tags";
    const refused = { status: 400, code: "LimitExceeded", message };
    world.faults = awsFailing(/CreateOrUpdateTags$/, refused);
    world.start(options);
    await world.workFor(minutes(1));

    expect(deadIn(world)).toMatchObject([
      { attributes: { Fault: { StringValue: expect.stringContaining(message) } } },
    ]);
    expect(world.sizes).toEqual({ min: 1, max: 20, desired: 2 });
    expect(world.versions).toEqual(["1"]);

    world.faults = () => well;
    world.start(options, "0000beef");
    await world.work();

    expect(world.ended).toBe("done");
    expect(world.traces).toEqual([]);
  });

  it.each([
    ["resume", "done"],
    ["abort", "aborted"],
  ] as const)(
    "is carried on by a new message if its upgrade is under way: %s",
    async (kind, ended) => {
      const world = aWorld();
      world.start(options);
      await world.work(seconds(20));
      await givenUp(world);
      expect(deadIn(world)).toHaveLength(1);
      expect(world.ownTags).not.toEqual({});

      world.command({ kind, id: "0000beef" });
      await world.work();

      expect(world.ended).toBe(ended);
      expect(world.traces).toEqual([]);
    },
  );
});
