import { describe, expect, it } from "vitest";
import { hours, later, minutes, seconds } from "../../lambda/base/time.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import { awsFailing, well } from "../world/fault-plan.ts";
import { RepairWorld } from "../world/repair-world.ts";
import { group, instanceOf, nodeOf } from "../world/world-options.ts";

describe("a node whose condition flaps", () => {
  it("is left alone as long as no illness lasts for its wait", async () => {
    const world = new RepairWorld();
    for (let after = 0; after < 240; after += 20) {
      world.in(minutes(after), () => world.kernel(3, "False", "ForkFailedOutOfPIDs"));
      world.in(minutes(after + 19), () => world.kernel(3, "True"));
    }

    await world.goOn(hours(4));

    expect(world.repaired).toEqual([]);
    expect(world.traces).toEqual([]);
  });

  it("is replaced once one lasts, counted from when it began", async () => {
    const world = new RepairWorld();
    world.kernel(3, "False", "ForkFailedOutOfPIDs");
    world.in(minutes(29), () => world.kernel(3, "True"));
    world.in(minutes(31), () => world.kernel(3, "False", "ForkFailedOutOfPIDs"));

    await world.goOn(hours(2));

    const [{ at } = { at: 0 }, ...others] = world.repaired;
    expect(at).toBeGreaterThanOrEqual(later(world.begunAt, minutes(61)));
    expect(at).toBeLessThanOrEqual(later(world.begunAt, minutes(66)));
    expect(others).toEqual([]);
  });
});

describe("a clock that is askew", () => {
  it.each([
    [-40, "KernelReady"],
    [-7, "KernelReady"],
    [40, "KernelReady"],
    [60 * 24 * 365, "KernelReady"],
    [-40, "Ready"],
    [40, "Ready"],
  ])(
    "by %d minutes, on a node ill of %s, has it repaired half an hour after it fell ill, and no other",
    async (ahead, type) => {
      const world = new RepairWorld();
      world.reportAll(3, minutes(ahead));
      world.kernel(3, "True");
      world.pass(minutes(1));
      world.cluster.setCondition(
        nodeOf(3),
        { type, status: "False", reason: "SoftLockup", message: "" },
        later(world.timeline.now(), minutes(ahead)),
      );
      const fellIll = world.timeline.now();

      await world.goOn(hours(3));

      expect(world.declared).toEqual([instanceOf(3)]);
      const [{ at } = { at: 0 }] = world.repaired;
      // A kubelet reports every five minutes, so nobody knows its clock better than that.
      expect(at).toBeGreaterThanOrEqual(later(fellIll, minutes(ahead < 0 ? 25 : 30)));
      expect(at).toBeLessThan(later(fellIll, minutes(36)));
    },
  );

  it.each([4, -4, 40, -40])(
    "by %d minutes, in the function, moves no repair, for the function goes by the servers' clocks",
    async (ahead) => {
      const world = new RepairWorld({ clockAhead: minutes(ahead) });
      world.silence(3);

      await world.goOn(hours(1));

      expect(world.declared).toEqual([instanceOf(3)]);
      const [{ at } = { at: 0 }] = world.repaired;
      expect(at).toBeGreaterThan(later(world.begunAt, minutes(30)));
      expect(at).toBeLessThan(later(world.begunAt, minutes(36)));
    },
  );
});

describe("a node that carries the mark of an earlier look", () => {
  it.each(["has become ready", "is another one"])(
    "is left alone when it %s by the time it would be given up",
    async (what) => {
      const world = new RepairWorld();
      world.silence(3);
      const name = nodeOf(3);
      const changes = [
        () => {
          if (what === "has become ready") return world.cluster.resumeKubelet(name);
          world.cluster.store.remove({ resource: nodes, name });
          world.cluster.addNode({ name, providerID: `aws:///eu-west-1c/${instanceOf(3)}` });
        },
      ];
      world.faults = ({ what: request }) => {
        if (request.endsWith("SetInstanceHealth")) return { kind: "death", moment: "before" };
        const isAtRisk = request.includes("DescribeScalingActivities") && world.declared.length > 0;
        if (isAtRisk) changes.pop()?.();
        return well;
      };

      await world.goOn(hours(1));

      expect(changes).toEqual([]);
      expect(world.declared).toHaveLength(1);
      expect(world.inService).toContain(3);
      expect(world.traces).toEqual([]);
    },
  );
});

describe("several looks at once", () => {
  it("repair each ill node once, one at a time", async () => {
    const world = new RepairWorld({ messages: 3 });
    world.silence(3, 4);

    await world.goOn(hours(2));

    expect(new Set(world.declared)).toEqual(new Set([instanceOf(3), instanceOf(4)]));
    const endings = world.aws.autoScaling.actions().map(({ instanceId }) => instanceId);
    expect(endings.toSorted((a, b) => (a < b ? -1 : 1))).toEqual([instanceOf(3), instanceOf(4)]);
    const [first = 0, second = 0] = world.aws.autoScaling
      .actions()
      .map(({ startedAt }) => startedAt);
    expect(second - first).toBeGreaterThanOrEqual(minutes(5));
  });
});

describe("a node without a provider ID", () => {
  it("is known by its name, so its healthy instance is left alone", async () => {
    const world = new RepairWorld();
    world.cluster.removeNode(nodeOf(3));
    world.cluster.addNode({ name: nodeOf(3) });

    await world.goOn(hours(1));

    expect(world.declared).toEqual([]);
    expect(world.told("repair-ill")).toEqual([]);
  });

  it("is left alone when it is ill, because nobody could drain it", async () => {
    const world = new RepairWorld();
    world.cluster.removeNode(nodeOf(3));
    world.cluster.addNode({ name: nodeOf(3), state: "not-ready" });

    await world.goOn(hours(1));

    expect(world.declared).toEqual([]);
    expect(world.told("repair-ill").at(-1)?.verdict).toContain("no provider ID");
  });

  it("keeps instances without a node from being replaced if its name is nobody's", async () => {
    const world = new RepairWorld();
    world.cluster.removeNode(nodeOf(3));
    world.cluster.addNode({ name: "made-up" });

    await world.goOn(hours(1));

    expect(world.declared).toEqual([]);
    expect(world.told("repair-held").at(-1)).toMatchObject({ brake: "unmatched-nodes" });
  });
});

describe("an instance without a node", () => {
  it("is left alone whose Node was deleted, long after its launch, and is back in a moment", async () => {
    const world = new RepairWorld();
    world.pass(hours(1));
    const node = world.node(3);
    world.cluster.store.remove({ resource: nodes, name: nodeOf(3) });
    world.in(seconds(8), () =>
      world.cluster.addNode({ name: nodeOf(3), providerID: node?.spec.providerID }),
    );

    await world.goOn(hours(1));

    expect(world.declared).toEqual([]);
    expect(world.ownTags).toEqual({});
  });

  it("is replaced when its Node was deleted, long after its launch, and is away for 15 minutes", async () => {
    const world = new RepairWorld();
    world.pass(hours(1));
    world.cluster.store.remove({ resource: nodes, name: nodeOf(3) });

    await world.goOn(minutes(14));
    expect(world.declared).toEqual([]);
    await world.goOn(hours(1));

    expect(world.ownTags["repaired/without-node"]).toBeUndefined();
    expect(world.repaired).toMatchObject([{ index: 3, how: "replace" }]);
    expect(world.instances).toHaveLength(10);
    expect(world.nodes).toHaveLength(10);
  });

  it("is left alone when it has registered again by the time it would be given up", async () => {
    const world = new RepairWorld();
    world.pass(hours(1));
    world.cluster.store.remove({ resource: nodes, name: nodeOf(3) });
    world.faults = ({ what }) => {
      if (what.endsWith("CreateOrUpdateTags") && world.node(3) === undefined)
        world.cluster.addNode({
          name: nodeOf(3),
          providerID: `aws:///eu-west-1c/${instanceOf(3)}`,
        });
      return well;
    };

    await world.goOn(hours(1));

    expect(world.declared).toEqual([]);
    expect(world.told("repair-begun")).toEqual([]);
  });

  it("that never joins is replaced 15 minutes after its launch, when our launch hook has let it go", async () => {
    const hopeless = new Set<string>();
    const world = new RepairWorld({
      joining: {
        node: ({ id }) => {
          if (hopeless.size === 0) hopeless.add(id);
          return hopeless.has(id) ? "none" : {};
        },
      },
    });
    world.aws.autoScaling.putHook(group, {
      name: "Launch-LC-Hook",
      transition: "autoscaling:EC2_INSTANCE_LAUNCHING",
      heartbeat: minutes(10),
      defaultResult: "CONTINUE",
      targetArn: "",
    });
    world.aws.autoScaling.setDesired(group, 11);

    await world.goOn(minutes(9));
    expect(world.told("repair-ill")).toEqual([]);
    await world.goOn(hours(1));

    expect(world.declared).toEqual([...hopeless]);
    expect(world.instances).toHaveLength(11);
    expect(world.nodes).toHaveLength(11);
  });

  it("is not replaced for ever: three replacements of a broken image in a row stop it, and say so", async () => {
    const world = new RepairWorld({ joining: { node: () => "none" } });
    world.aws.autoScaling.setDesired(group, 11);

    await world.goOn(hours(12));

    expect(world.declared).toHaveLength(3);
    expect(world.told("repair-held").at(-1)).toMatchObject({ brake: "same-cause" });
  });
});

describe("a repair that AWS refuses", () => {
  it.each([
    ["tag", "CreateOrUpdateTags", "replace"],
    ["tag", "CreateOrUpdateTags", "reboot"],
    ["health", "SetInstanceHealth", "replace"],
  ] as const)(
    "is tried no more often than the schedule says, and goes on once AWS takes the %s (%s, %s)",
    async (_, call, action) => {
      const rule = { condition: "Ready", reason: "*", minutes: 1, action };
      const world = new RepairWorld({ settings: { REPAIR_OVERRIDES: JSON.stringify([rule]) } });
      world.faults = awsFailing(new RegExp(`${call}$`), {
        status: 400,
        code: "ValidationError",
        message: "Limit of 50 tags per resource reached",
      });
      world.silence(3);

      await world.goOn(hours(2));
      expect(world.told("fault").length).toBeGreaterThan(0);
      expect(world.told("repair-pass").length).toBeLessThanOrEqual(26);

      world.faults = () => well;
      await world.goOn(hours(1));
      expect(world.repaired.map(({ index }) => index)).toContain(3);
    },
  );
});
