import { describe, expect, it } from "vitest";
import type { Entry } from "../../journal/entry.ts";
import { minutes, seconds } from "../../lambda/base/time.ts";
import { type UpgradeOptions, usualOptions } from "../../lambda/upgrade/options.ts";
import type { UpgradeEntry } from "../../lambda/upgrade/upgrade-entry.ts";
import type { UpgradeCommand } from "../../lambda/upgrade/upgrade-message.ts";
import type { Ec2Instance } from "../../sandbox/aws/ec2.ts";
import { type FaultPlan, well } from "../world/fault-plan.ts";
import { UpgradeWorld, zones } from "../world/upgrade-world.ts";
import { deploy } from "../world/workloads.ts";
import { instanceOf } from "../world/world-options.ts";

const count = (value: number) => ({ maxUnavailable: { kind: "count", value } }) as const;
const percent = (value: number) => ({ maxUnavailable: { kind: "percentage", value } }) as const;
const minimal = { strategy: "MINIMAL" } as const;

/** Expects a group that has its sizes of before, and no trace of an upgrade but how it has ended. */
function expectTidy(world: UpgradeWorld): void {
  const { min, max, desired } = world.before;
  world.pass(minutes(2));
  expect(world.sizes).toEqual({ min, max, desired });
  expect(Object.keys(world.ownTags).filter((key) => !key.startsWith("upgrade-ended"))).toEqual([]);
  expect(world.traces).toEqual([]);
  expect(world.group.suspended).toEqual([]);
}

/** How many nodes were drained at a time, in the order of the batches. */
const batchesIn = (world: UpgradeWorld): readonly number[] =>
  world
    .told("upgrade-nodes")
    .filter(({ deed }) => deed === "chosen")
    .map(({ nodes }) => nodes.length);

/** Follows how many instances the group has at most, and how many old ones are on their way out at once. */
function watched(world: UpgradeWorld): { most: number; mostOut: number } {
  const seen = { most: 0, mostOut: 0 };
  world.aws.autoScaling.onChange(() => {
    const active = world.instances.filter(({ state }) => /^(?:InService|Pending)/.test(state));
    const out = world.instances.filter(
      ({ state, template }) => template.version === "1" && state.startsWith("Terminating"),
    );
    seen.most = Math.max(seen.most, active.length);
    seen.mostOut = Math.max(seen.mostOut, out.length);
  });
  return seen;
}

/** The write of an entry, in a few words. */
function writeOf(entry: Entry | UpgradeEntry): readonly string[] {
  switch (entry.kind) {
    case "upgrade-phase":
      return [`phase ${entry.phase}`];
    case "upgrade-sized":
      return [`desired ${entry.desired} max ${entry.max}`];
    case "upgrade-launches":
      return ["template"];
    case "upgrade-terminated":
      return ["terminate"];
    case "upgrade-nodes":
      return /cordoned|chosen|restored/.test(entry.deed) ? [entry.deed] : [];
    default:
      return [];
  }
}

describe("the upgrade of a group", () => {
  it("replaces every node and leaves the group as it was", async () => {
    const world = new UpgradeWorld({ size: 3 });
    deploy(world, { name: "web", on: { 1: 2, 2: 1, 3: 1 } });
    await world.upgraded();

    expect(world.ended).toBe("done");
    expect(world.versions).toEqual(["2"]);
    expectTidy(world);
    expect(world.instances).toHaveLength(3);
  });

  it("calls its own cordon its own when a node's turn comes", async () => {
    const world = new UpgradeWorld({ size: 2 });
    deploy(world, { name: "web", on: { 1: 1, 2: 1 } });
    await world.upgraded();

    const whose = world.told("node-marked").map(({ cordoned }) => cordoned);
    expect(new Set(whose)).toEqual(new Set(["ours"]));
  });

  it("writes in the order of a managed group: template, sizes, cordon, drain, end, and sizes one by one", async () => {
    const world = await new UpgradeWorld({ size: 3, zones }).upgraded();

    const told = world.entries.flatMap(writeOf);
    expect(told).toEqual([
      "template",
      "phase scale-up",
      "desired 9 max 26",
      "phase upgrade",
      "cordoned",
      "chosen",
      "terminate",
      "chosen",
      "terminate",
      "chosen",
      "terminate",
      "phase scale-down",
      ...[8, 7, 6, 5, 4, 3].flatMap((desired) => ["terminate", `desired ${desired} max 26`]),
      "restored",
      "desired 3 max 20",
    ]);
  });

  // Each row as a managed node group would do it: https://docs.aws.amazon.com/eks/latest/userguide/managed-node-update-behavior.html
  it.each([
    { spread: 1, size: 3, options: count(1), most: 5, batches: [1, 1, 1] },
    { spread: 3, size: 3, options: count(2), most: 9, batches: [2, 1] },
    { spread: 3, size: 10, options: percent(33), most: 16, batches: [3, 3, 3, 1] },
    { spread: 1, size: 8, options: count(4), most: 12, batches: [4, 4] },
    { spread: 3, size: 4, options: { ...count(2), ...minimal }, most: 4, batches: [2, 2] },
    { spread: 1, size: 3, options: { ...count(1), ...minimal }, most: 3, batches: [1, 1, 1] },
    { spread: 2, size: 5, options: { ...count(3), surge: 1 }, most: 6, batches: [1, 1, 1, 1, 1] },
  ])(
    "has $most nodes at most and takes $batches of $size in $spread zones with $options",
    async ({ spread, size, options, most, batches }) => {
      const world = new UpgradeWorld({ size, zones: zones.slice(0, spread) });
      const seen = watched(world);
      await world.upgraded(options);

      expect(world.ended).toBe("done");
      expect(seen.most).toBe(most);
      expect(batchesIn(world)).toEqual(batches);
      expect(seen.mostOut).toBeLessThanOrEqual(Math.max(...batches));
      expectTidy(world);
    },
  );

  it.each<Partial<UpgradeOptions>>([
    { order: "oldest" },
    { order: "emptiest" },
    { order: "zone" },
    { cordon: "one-by-one" },
    { canary: "first" },
    { canary: "first", ...minimal },
  ])("ends well with %j", async (options) => {
    const world = new UpgradeWorld({ size: 3, zones });
    deploy(world, { name: "web", on: { 1: 1, 2: 1, 3: 1 } });
    await world.upgraded(options);

    expect(world.ended).toBe("done");
    expect(world.versions).toEqual(["2"]);
    expectTidy(world);
  });
});

/** The first new node that is admitted is not ready from five seconds on, for two minutes. */
function flapOnce(world: UpgradeWorld): FaultPlan {
  let seen = "";
  return ({ what }) => {
    const name = /^patch nodes (ip-192-168\S+)/.exec(what)?.[1] ?? "";
    if (seen !== "" || name === "") return well;
    seen = name;
    world.in(seconds(5), () => world.cluster.reportNode(name, "not-ready"));
    world.in(minutes(2), () => world.cluster.reportNode(name, "ready"));
    return well;
  };
}

describe("a first new node that is not valid", () => {
  // It is waited for half an hour, in which it need not be looked at every 15 seconds.
  const lookEvery = minutes(2);

  it("is replaced by one as before where it stands in the place of an old one", async () => {
    const bad = "ami-00000000000000002";
    const node = ({ imageId }: Ec2Instance) =>
      imageId === bad ? ({ state: "not-ready" } as const) : {};
    const world = new UpgradeWorld({ size: 3, joining: { node } });
    await world.upgraded({ canary: "first", strategy: "MINIMAL", lookEvery });

    expect(world.ended).toMatch(/^failed: NodeCreationFailure/);
    expectTidy(world);
    expect(world.versions).toEqual(["1"]);
    expect(world.instances).toHaveLength(3);
  });

  it("stops the upgrade at one, and the group launches by its template of before", async () => {
    const world = new UpgradeWorld({ size: 3, joining: { node: () => ({ state: "not-ready" }) } });
    await world.upgraded({ canary: "first", lookEvery });

    expect(world.ended).toMatch(
      /^failed: NodeCreationFailure: the first new node is not valid yet/,
    );
    expect(world.told("upgrade-sized").map(({ desired }) => desired)).toContain(4);
    expect(batchesIn(world)).toEqual([]);
    expect(world.group.template.version).toBe("1");
    expectTidy(world);
    expect(world.versions).toEqual(["1"]);
  });

  it.each([
    ["in one go", 0],
    ["where the process dies once it has made the version", 1],
    ["where the process dies once it has made one as before", 2],
  ])(
    "launches as before by the same name where that has moved to the new version, %s",
    async (_, dies) => {
      const world = new UpgradeWorld({
        size: 3,
        joining: { node: () => ({ state: "not-ready" }) },
      });
      world.aws.records.addImage("ami-00000000000000003");
      const { id: LaunchTemplateId } = world.group.template;
      world.aws.autoScaling.update("workers", {
        LaunchTemplate: { LaunchTemplateId, Version: "$Latest" },
      });
      let made = 0;
      world.faults = ({ what }) => {
        if (what !== "ec2 CreateLaunchTemplateVersion") return well;
        made += 1;
        return made === dies ? { kind: "death", moment: "after" } : well;
      };
      const to = { kind: "image", image: "ami-00000000000000003" } as const;
      const options = { ...usualOptions, canary: "first", lookEvery } as const;
      world.command({ kind: "start", id: "0badcafe", to, options } as UpgradeCommand);
      await world.work();

      expect(world.ended).toMatch(/^failed: NodeCreationFailure/);
      expect(world.group.template.version).toBe("$Latest");
      const all = world.aws.autoScaling.templates.versions({ LaunchTemplateId });
      expect(all.map(({ template }) => template.imageId.at(-1))).toEqual(["2", "3", "2", "0"]);
    },
  );

  it("has to become valid again when it was so only at the first look", async () => {
    const world = new UpgradeWorld({ size: 3 });
    world.faults = flapOnce(world);
    await world.upgraded({ canary: "first" });

    const deeds = world.told("upgrade-nodes").map(({ deed }) => deed);
    expect(deeds.slice(0, 3)).toEqual(["validated", "doubted", "validated"]);
    expect(world.ended).toBe("done");
    expectTidy(world);
  });
});

describe("a node whose pods do not leave", () => {
  it("is tried again last, and then fails the upgrade with its pods and their budget", async () => {
    const world = new UpgradeWorld({ size: 3 });
    deploy(world, { name: "web", on: { 1: 1 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    await world.upgraded({ drainTimeout: minutes(2) });

    expect(world.ended).toMatch(
      /^failed: PodEvictionFailure: .*1 nodes could not be drained.*node ip-10-0-0-1.*web-1.*budget/,
    );
    const old = world.instances.filter(({ template }) => template.version === "1");
    expect(old.map(({ id }) => id)).toEqual([instanceOf(1)]);
    const chosen = world.told("upgrade-nodes").filter(({ deed }) => deed === "chosen");
    expect(chosen).toHaveLength(4);
    expect(chosen[3]?.nodes).toEqual(["ip-10-0-0-1.eu-west-1.compute.internal"]);
    expect(world.group.template.version).toBe("2");
    expectTidy(world);
  });

  it("is forced in its second turn where that is wanted", async () => {
    const world = new UpgradeWorld({ size: 3 });
    deploy(world, { name: "web", on: { 1: 1 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    await world.upgraded({ drainTimeout: minutes(2), ifBlocked: "force" });

    expect(world.ended).toBe("done");
    const forced = world.told("pod-deleted").filter(({ instance }) => instance === instanceOf(1));
    expect(forced.map(({ pod, past }) => [pod, past])).toEqual([
      ["default/web-1", expect.stringContaining("budget")],
    ]);
    expectTidy(world);
  });
});

describe("a group that somebody else changes during its upgrade", () => {
  it("keeps its size where an autoscaler has made it larger", async () => {
    const world = new UpgradeWorld({ size: 3 });
    world.in(minutes(3), () => world.aws.autoScaling.setDesired("workers", 10));
    await world.upgraded();

    expect(world.ended).toBe("scaled-elsewhere");
    expect(world.sizes).toEqual({ min: 1, max: 20, desired: 10 });
    expect(world.versions).toEqual(["2"]);
    world.pass(minutes(2));
    expect(world.traces).toEqual([]);
  });

  it("keeps what somebody has added to its size before the surge, and surges besides", async () => {
    const world = new UpgradeWorld({ size: 3, zones });
    const seen = watched(world);
    world.in(seconds(30), () => world.aws.autoScaling.setDesired("workers", 6));
    await world.upgraded({ canary: "first" });

    expect(world.ended).toBe("done");
    expect(world.sizes).toEqual({ min: 1, max: 20, desired: 5 });
    expect(seen.most).toBe(11);
    expect(world.versions).toEqual(["2"]);
  });

  it("keeps a size beyond its largest one of before, where somebody has set both before the surge", async () => {
    const world = new UpgradeWorld({ size: 3, zones, max: 4 });
    world.in(seconds(30), () => {
      world.aws.autoScaling.update("workers", { MaxSize: 9 });
      world.aws.autoScaling.setDesired("workers", 9);
    });
    await world.upgraded({ canary: "first" });

    expect(world.ended).toBe("done");
    expect(world.sizes).toEqual({ min: 1, max: 8, desired: 8 });
  });

  it("fails when its template is rolled back, and keeps what is new", async () => {
    const world = new UpgradeWorld({ size: 3 });
    world.in(minutes(3), () =>
      world.aws.autoScaling.update("workers", {
        LaunchTemplate: { LaunchTemplateId: world.group.template.id, Version: "1" },
      }),
    );
    await world.upgraded();

    expect(world.ended).toMatch(
      /^failed: Ec2LaunchTemplateVersionMismatch: somebody has the group/,
    );
    expectTidy(world);
  });

  it("ends an instance that Auto Scaling would not end at first, and no other one meanwhile", async () => {
    const world = new UpgradeWorld({ size: 3 });
    const seen = watched(world);
    const fault = { status: 500, code: "InternalFailure", message: "try again" } as const;
    let refusals = 0;
    world.faults = ({ what }) => {
      if (!what.includes("TerminateInstance") || refusals === 8) return well;
      refusals += 1;
      return { kind: "aws-fault", fault, moment: "before" };
    };
    await world.upgraded();

    expect(refusals).toBe(8);
    expect(world.ended).toBe("done");
    expect(seen.mostOut).toBe(1);
    expectTidy(world);
  });

  it("is refused while old instances wait in its warm pool, and changes nothing", async () => {
    const world = new UpgradeWorld({ size: 3 });
    const { register } = world.aws.autoScaling;
    const [first] = world.instances;
    const warmPool = { kind: "pool", state: "Stopped", onScaleIn: "terminate" } as const;
    register.put({ ...world.group, warmPool });
    if (first !== undefined)
      register.putInstance({ ...first, id: "i-0000000000000dead", state: "Warmed:Stopped" });
    await world.upgraded();

    expect(world.ended).toMatch(
      /^refused: AutoScalingGroupInvalidConfiguration: 1 instances of another version wait in the warm pool/,
    );
    expect(world.told("upgrade-launches")).toEqual([]);
    expectTidy(world);
  });

  it("fails when it cannot launch, in the words of Auto Scaling", async () => {
    const world = new UpgradeWorld({ size: 3 });
    world.aws.autoScaling.failures.plan({ why: "addresses" });
    await world.upgraded();

    expect(world.ended).toMatch(
      /^failed: InsufficientFreeAddresses: Auto Scaling says: There are not/,
    );
    expect(world.versions).toEqual(["1"]);
    expectTidy(world);
  });
});

describe("what an upgrade leaves behind", () => {
  it("is nothing where somebody has made the smallest size larger meanwhile", async () => {
    const world = new UpgradeWorld({ size: 3 });
    world.in(minutes(3), () => world.aws.autoScaling.update("workers", { MinSize: 5 }));
    await world.upgraded();

    expect(world.ended).toBe("done");
    expect(world.sizes).toEqual({ min: 5, max: 20, desired: 5 });
    world.pass(minutes(2));
    expect(world.traces).toEqual([]);
  });

  it("is the largest size that somebody has set meanwhile", async () => {
    const world = new UpgradeWorld({ size: 3 });
    world.in(minutes(3), () => world.aws.autoScaling.update("workers", { MaxSize: 40 }));
    await world.upgraded();

    expect(world.ended).toBe("done");
    expect(world.sizes).toEqual({ min: 1, max: 40, desired: 3 });
  });

  it("is no cordon on an old node that somebody has put into Standby", async () => {
    const world = new UpgradeWorld({ size: 6, zones });
    world.in(minutes(3), () => {
      const old = world.instances.filter(({ template }) => template.version === "1");
      for (const one of old)
        world.aws.autoScaling.register.putInstance({ ...one, state: "Standby" });
    });
    world.start();
    world.in(seconds(190), () => world.command({ kind: "abort", id: "aaaaaaaa" }));
    await world.work();

    expect(world.ended).toBe("aborted");
    world.pass(minutes(2));
    expect(world.traces).toEqual([]);
  });

  it("is no end where new instances are protected from scale-in", async () => {
    const world = new UpgradeWorld({ size: 3 });
    const { register } = world.aws.autoScaling;
    register.onChange((one) => {
      if (one.state === "InService" && one.protection === "none")
        register.putInstance({ ...one, protection: "scale-in" });
    });
    await world.upgraded();

    expect(world.ended).toBe("done");
    expectTidy(world);
  });
});

describe("what somebody says of an upgrade", () => {
  it("refuses a second one while the first is under way", async () => {
    const world = new UpgradeWorld({ size: 3 });
    world.start();
    world.in(minutes(2), () => world.start({}, "12345678"));
    await world.work();

    expect(world.told("upgrade-answered").map(({ upgrade, end }) => [upgrade, end])).toEqual([
      [
        "12345678",
        {
          kind: "refused",
          reasons: ["not 12345678, but upgrade 0badcafe of group workers is under way"],
        },
      ],
      ["0badcafe", { kind: "ended", outcome: "done" }],
    ]);
  });

  it("pauses it, and resumes it to the same end", async () => {
    const world = new UpgradeWorld({ size: 3 });
    world.start();
    world.in(minutes(3), () => world.command({ kind: "pause", id: "aaaaaaaa" }));
    await world.work();
    expect(world.ended).toBe("not yet");
    const before = world.versions;
    world.pass(minutes(60));
    expect(world.versions).toEqual(before);
    world.command({ kind: "resume", id: "bbbbbbbb" });
    await world.work();

    expect(world.ended).toBe("done");
    expect(world.versions).toEqual(["2"]);
    expectTidy(world);
  });

  it("aborts it: the template, the sizes and the old nodes are as before", async () => {
    const world = new UpgradeWorld({ size: 6 });
    world.start();
    world.in(minutes(4), () => world.command({ kind: "abort", id: "aaaaaaaa" }));
    await world.work();

    expect(world.ended).toBe("aborted");
    expect(world.group.template.version).toBe("1");
    const old = world.instances.filter(({ template }) => template.version === "1");
    expect(old.length).toBeGreaterThanOrEqual(4);
    expectTidy(world);
  });

  it("revives it when its message is lost", async () => {
    const world = new UpgradeWorld({ size: 3 });
    world.start();
    await world.work(minutes(3));
    world.deployment.queue("notices").purge();
    world.command({ kind: "resume", id: "bbbbbbbb" });
    await world.work();

    expect(world.ended).toBe("done");
    expectTidy(world);
  });

  it("refuses a start in the tags of the group, and touches none while another is under way", async () => {
    const world = new UpgradeWorld({ size: 3 });
    const { register } = world.aws.autoScaling;
    register.put({ ...world.group, suspended: ["Launch"] });
    await world.upgraded();
    expect(world.ended).toMatch(
      /^refused: AutoScalingGroupInvalidConfiguration: somebody has suspended Launch/,
    );
    expect(world.ownTags["upgrade-ended"]).toContain("id=0badcafe");

    register.put({ ...world.group, suspended: [], tags: [] });
    world.start();
    world.in(minutes(2), () => world.start({}, "12345678"));
    await world.work(minutes(4));
    expect(world.ownTags["upgrade-ended"]).toBeUndefined();
    await world.work();
    expect(world.ended).toBe("done");
  });

  it("calls off an upgrade whose start comes later", async () => {
    const world = new UpgradeWorld({ size: 3 });
    world.command({ kind: "abort", id: "aaaaaaaa" });
    await world.work();
    await world.upgraded();

    expect(world.ended).toBe("aborted");
    expect(world.told("upgrade-launches")).toEqual([]);
    expectTidy(world);
  });
});
