import { describe, expect, it } from "vitest";
import { repairMessage } from "../../lambda/base/contract.ts";
import { between, hours, type Instant, later, minutes, never } from "../../lambda/base/time.ts";
import { repairAnnotation } from "../../lambda/repair/repair-marks.ts";
import { putTags } from "../../sandbox/aws/group-update.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import { wireTime } from "../../sandbox/kubernetes/kube-time.ts";
import { type FaultPlan, type FunctionRequest, well } from "../world/fault-plan.ts";
import { refusal } from "../world/refusal.ts";
import { type RepairLand, RepairWorld } from "../world/repair-world.ts";
import { deploy } from "../world/workloads.ts";
import { group, instanceOf, nodeOf } from "../world/world-options.ts";

const afterTen = (condition: string, action: "reboot" | "replace") => ({
  REPAIR_OVERRIDES: JSON.stringify([{ condition, reason: "*", minutes: 10, action }]),
});

/** A world whose third node has a broken kernel from minute 1 on, which is rebooted after ten minutes. */
function withBrokenKernel(land: RepairLand = {}): RepairWorld {
  const world = new RepairWorld({ settings: afterTen("KernelReady", "reboot"), ...land });
  deploy(world, { name: "web", on: { 3: 3 } });
  world.in(minutes(1), () => world.kernel(3, "False", "ForkFailedOutOfPIDs"));
  return world;
}

const fault = { code: "AccessDenied", status: 403, message: "a policy forbids it" };
const denied = { kind: "aws-fault", fault, moment: "before" } as const;

/** A pass can read no groups. */
const unread: FaultPlan = ({ what }) =>
  what.endsWith("DescribeAutoScalingGroups") ? denied : well;

const writesOf = ({ requests }: RepairWorld): readonly FunctionRequest[] =>
  requests.filter(({ what }) => !/^(get|list|watch)|Describe|List/.test(what));

const rebootsOf = ({ requests }: RepairWorld): readonly FunctionRequest[] =>
  requests.filter(({ what }) => what.endsWith("RebootInstances"));

const deadLettersOf = ({ aws }: RepairWorld): readonly unknown[] =>
  aws.sqs.findQueue("dead-letters").contents();

/** Somebody else always writes the third node just before the function writes this stage of its reboot. */
function outwrite(world: RepairWorld, stage: "asking" | "rebooting"): void {
  let written = 0;
  world.faults = ({ what, body }) => {
    if (what === `patch nodes ${nodeOf(3)}` && body.includes(`"${stage} `)) {
      written += 1;
      const labels = { "example.com/written": `${written}` };
      world.cluster.store.update({ resource: nodes, name: nodeOf(3) }, (node) => ({
        ...node,
        metadata: { ...node.metadata, labels: { ...node.metadata.labels, ...labels } },
      }));
    }
    return well;
  };
}

describe("a node whose kubelet has stopped", () => {
  it("is marked, and its instance replaced by its group, after 30 minutes", async () => {
    const world = new RepairWorld();
    world.silence(3);

    await world.goOn(hours(1));

    expect(world.repaired).toMatchObject([{ index: 3, how: "replace" }]);
    expect(world.declared).toEqual([instanceOf(3)]);
    expect(world.inService).not.toContain(3);
    expect(world.nodes).toHaveLength(10);
    expect(world.told("repair-done")).toMatchObject([{ instance: instanceOf(3) }]);
  });

  it("is replaced though the API server answers no write of some other nodes", async () => {
    const world = new RepairWorld();
    const unwritable = [1, 2, 4, 5].map(nodeOf);
    world.faults = ({ what }) =>
      unwritable.some((name) => what === `patch nodes ${name}`)
        ? { kind: "cluster-fault", fault: "hang", moment: "before" }
        : well;
    // Their kubelets claim reboots that are over, which each pass takes back.
    for (const name of unwritable)
      world.cluster.store.update({ resource: nodes, name }, (node) => ({
        ...node,
        metadata: {
          ...node.metadata,
          annotations: { [repairAnnotation]: `rebooting x ${wireTime(world.timeline.now())}` },
        },
      }));
    world.silence(3);

    await world.goOn(hours(1));

    expect(world.declared).toEqual([instanceOf(3)]);
    expect(world.told("fault").length).toBeGreaterThan(0);
  });

  it("is marked before its group is told of it", async () => {
    const world = new RepairWorld();
    world.silence(3);

    await world.goOn(minutes(36));

    const asked = world.requests.map(({ what }) => what);
    const [mark, record, health] = ["patch nodes", "CreateOrUpdateTags", "SetInstanceHealth"].map(
      (what) => asked.findIndex((one) => one.includes(what)),
    );
    expect([mark, record, health]).toEqual(
      [mark, record, health].toSorted((a, b) => Number(a) - Number(b)),
    );
    expect(world.ownTags).toMatchObject({
      [`repaired/${instanceOf(3)}`]: expect.stringContaining("replace Ready/NodeStatusUnknown"),
    });
  });

  it("is left alone when somebody else has written it since it was looked at", async () => {
    const world = new RepairWorld();
    world.silence(3);
    world.faults = ({ what, body }) => {
      const isMark = what === `patch nodes ${nodeOf(3)}` && body.includes('"ill"');
      if (isMark && world.declared.length === 0) world.kernel(3, "True");
      return { kind: "well" };
    };

    await world.goOn(minutes(31));

    expect(world.declared).toEqual([]);
  });
});

describe("a replaced node whose pods a budget holds", () => {
  /** Such a world, and when its third node was marked. */
  async function heldWorld(): Promise<readonly [world: RepairWorld, marked: Instant]> {
    const world = withBrokenKernel({ settings: afterTen("KernelReady", "replace") });
    world.cluster.addBudget({ name: "web", minAvailable: 3 });
    await world.goOn(minutes(20));
    return [world, world.repaired[0]?.at ?? never];
  }

  it("keeps its pods until the deadline of its mark, which is later than that of any drain", async () => {
    const [world, marked] = await heldWorld();

    await world.goOn(minutes(40));

    const departed = world.departures.map(({ at }) => between(marked, at));
    expect(departed).toHaveLength(3);
    expect(Math.min(...departed)).toBeGreaterThan(minutes(28));
    expect(Math.max(...departed)).toBeLessThanOrEqual(minutes(30));
    expect(world.inService).not.toContain(3);
  });

  it("keeps them though a pass fails after its own deadline and before that of the mark", async () => {
    const [world, marked] = await heldWorld();
    const fault = refusal(403, "you may not");
    world.faults = ({ what, at }) =>
      what === "list pods" && Math.floor(between(marked, at) / minutes(1)) === 18
        ? { kind: "cluster-fault", fault, moment: "before" }
        : well;

    await world.goOn(minutes(16));

    expect(world.told("fault")).toContainEqual(expect.objectContaining({ retryable: true }));
    expect(world.told("hook-completed")).toEqual([]);
    expect(world.departures).toEqual([]);
  });
});

describe("a node that is well again", () => {
  it("is opened if its instance has not been given up", async () => {
    const world = new RepairWorld();
    world.silence(3);
    world.faults = ({ what }) =>
      what.endsWith("SetInstanceHealth") ? { kind: "death", moment: "before" } : { kind: "well" };
    world.in(minutes(32), () => world.cluster.resumeKubelet(nodeOf(3)));

    await world.goOn(minutes(50));

    expect(world.traces).toEqual([]);
    expect(world.inService).toContain(3);
  });
});

describe("a record that its group refuses to have rewritten", () => {
  it("does not keep another node from being repaired", async () => {
    const world = new RepairWorld();
    world.silence(3);
    world.in(minutes(40), () => world.silence(4));
    const fault = { code: "AccessDenied", status: 403, message: "no" };
    world.faults = ({ what, body }) =>
      what.endsWith("CreateOrUpdateTags") && /(?:\+|%20)by(?:\+|%20)/.test(body)
        ? { kind: "aws-fault", fault, moment: "before" }
        : { kind: "well" };

    await world.goOn(hours(2));

    expect(world.declared).toEqual([instanceOf(3), instanceOf(4)]);
    expect(JSON.stringify(world.told("fault"))).toContain("AccessDenied");
  });
});

describe("a replacement that AWS refuses", () => {
  it.each(["CreateOrUpdateTags", "SetInstanceHealth"])(
    "leaves the ill node marked and no other, tells it in each pass, and goes on once it is allowed (%s)",
    async (action) => {
      const world = withBrokenKernel({ settings: afterTen("KernelReady", "replace") });
      world.in(minutes(2), () => world.kernel(4, "False", "ForkFailedOutOfPIDs"));
      world.faults = ({ what }) => (what.endsWith(action) ? denied : well);

      await world.goOn(minutes(50));

      const cordoned = world.traces.filter((trace) => trace.endsWith(" is cordoned"));
      expect(cordoned).toEqual([`${nodeOf(3)} is cordoned`]);
      expect(world.told("fault").length).toBeGreaterThan(8);
      expect(world.departures).toEqual([]);
      const marks = writesOf(world).filter(({ what }) => what.startsWith("patch nodes"));
      expect(marks.length).toBeLessThanOrEqual(4);

      world.faults = () => well;
      await world.goOn(minutes(15));
      expect(world.inService).not.toContain(3);
    },
  );
});

describe("an instance without a node", () => {
  it("is replaced after 15 minutes if it never joined", async () => {
    const world = new RepairWorld({ settings: { REPAIR_WITHOUT_NODE_SECONDS: "900" } });
    world.cluster.removeNode(nodeOf(3));

    await world.goOn(minutes(30));

    expect(world.repaired).toMatchObject([{ index: 3, how: "replace" }]);
  });
});

describe("a reboot", () => {
  it("drains the node first, and opens it when it is well", async () => {
    const world = withBrokenKernel();
    world.in(minutes(18), () => world.kernel(3, "True"));

    await world.goOn(minutes(30));

    expect(world.repaired).toMatchObject([{ index: 3, how: "reboot" }]);
    expect(world.departures).toHaveLength(3);
    const reboots = rebootsOf(world);
    expect(reboots).toHaveLength(1);
    expect(Math.max(...world.departures.map(({ at }) => at))).toBeLessThanOrEqual(
      Number(reboots[0]?.at),
    );
    expect(world.traces).toEqual([]);
    expect(world.inService).toContain(3);
    expect(world.told("repair-done")).toMatchObject([{ node: nodeOf(3), by: "reboot" }]);
    const left = world.told("pod-evicted").map(({ node, instance }) => [node, instance]);
    expect(left.length).toBeGreaterThan(0);
    expect(new Set(left.flat())).toEqual(new Set([nodeOf(3), instanceOf(3)]));
  });

  it("drains the node also where drains only cordon", async () => {
    const settings = { ...afterTen("KernelReady", "reboot"), DRAIN_MODE: "cordon-only" };
    const world = withBrokenKernel({ settings });

    await world.goOn(minutes(18));

    expect(world.departures).toHaveLength(3);
    expect(rebootsOf(world)).toHaveLength(1);
  });

  it("that heals nothing is followed by a replacement", async () => {
    const world = withBrokenKernel();

    await world.goOn(hours(1));

    expect(world.repaired.map(({ how }) => how)).toEqual(["reboot", "replace"]);
    expect(world.inService).not.toContain(3);
    expect(world.traces).toEqual([]);
  });

  it("that is watched makes no dead letter of a message by a single fault, however often it was received", async () => {
    const world = withBrokenKernel();
    let failed = 0;
    world.faults = (request) => {
      const receives = world.told("repair-started").at(-1)?.receives ?? 0;
      const answer = failed === 1 || receives < 8 ? well : unread(request);
      if (answer !== well) failed += 1;
      return answer;
    };

    await world.goOn(hours(1));

    expect(failed).toBe(1);
    expect(deadLettersOf(world)).toEqual([]);
  });

  it("is asked for by messages that become dead letters once the next is due and the outage goes on", async () => {
    const world = withBrokenKernel();
    world.faults = unread;

    await world.goOn(minutes(20));

    expect(deadLettersOf(world).length).toBeGreaterThan(0);
    expect(Math.max(...world.told("repair-started").map(({ receives }) => receives))).toBe(8);
  });

  it("that a person asks for by a message without a time is a dead letter after eight receives", async () => {
    const world = withBrokenKernel();
    world.faults = unread;

    world.send(repairMessage);
    await world.workFor(hours(1));

    expect(world.told("repair-started")).toHaveLength(8);
    expect(deadLettersOf(world)).toHaveLength(1);
  });

  it.each([1, 3])(
    "waits for budgets until the deadline of repairs, in %d looks at once",
    async (messages) => {
      const world = withBrokenKernel({ messages });
      world.cluster.addBudget({ name: "web", minAvailable: 3 });

      await world.goOn(minutes(35));

      expect(rebootsOf(world)).toEqual([]);
      await world.goOn(minutes(10));
      expect(rebootsOf(world)).toHaveLength(1);
    },
  );

  it("is asked for once, though nobody can write that it has been", async () => {
    const world = withBrokenKernel();
    outwrite(world, "rebooting");
    world.in(minutes(18), () => world.kernel(3, "True"));

    await world.goOn(minutes(40));

    expect(rebootsOf(world)).toHaveLength(1);
    expect(world.traces).toEqual([]);
    expect(world.inService).toContain(3);
  });

  it("is never asked for where nobody can write that it will be, and becomes a replacement", async () => {
    const world = withBrokenKernel();
    outwrite(world, "asking");

    await world.goOn(hours(1));

    expect(rebootsOf(world)).toEqual([]);
    expect(world.declared).toEqual([instanceOf(3)]);
  });

  it("is asked for once more, ten minutes later, when EC2 fails; then the instance is replaced", async () => {
    const world = withBrokenKernel();
    const fault = { code: "UnsupportedOperation", status: 400, message: "no" };
    world.faults = ({ what }) =>
      what.endsWith("RebootInstances") ? { kind: "aws-fault", fault, moment: "before" } : well;

    await world.goOn(hours(1));

    const [first, second, ...others] = rebootsOf(world).map(({ at }) => at);
    expect(Number(second) - Number(first)).toBeGreaterThanOrEqual(minutes(10));
    expect(others).toEqual([]);
    expect(world.declared).toEqual([instanceOf(3)]);
  });
});

describe("a dry run that is switched on midway", () => {
  it("opens a node that is drained for a reboot, and has nothing rebooted or replaced", async () => {
    const world = withBrokenKernel();
    world.cluster.addBudget({ name: "web", minAvailable: 3 });
    await world.goOn(minutes(20));
    expect(world.node(3)?.spec.unschedulable).toBe(true);
    const of = { ResourceType: "auto-scaling-group", ResourceId: group };
    const mode = { ...of, Key: "eks-node-lifecycle/repair-mode", Value: "dry-run" };
    putTags(world.aws.autoScaling.register, [mode]);

    await world.goOn(hours(2));

    expect(world.traces).toEqual([`${nodeOf(3)} eks-node-lifecycle/ill-since`]);
    expect(rebootsOf(world)).toEqual([]);
    expect(world.declared).toEqual([]);
    expect(world.departures).toEqual([]);
  });
});

describe("drains that a tag of the group switches to a dry run", () => {
  it("have nothing replaced, because the pods of an ill node would end with it at once", async () => {
    const world = new RepairWorld();
    const tag = { ResourceType: "auto-scaling-group", ResourceId: group };
    const mode = { ...tag, Key: "eks-node-lifecycle/drain-mode", Value: "dry-run" };
    putTags(world.aws.autoScaling.register, [mode]);
    world.silence(3);

    await world.goOn(hours(2));

    expect(world.declared).toEqual([]);
    expect(world.told("repair-held")).toContainEqual(expect.objectContaining({ brake: "dry-run" }));
  });
});

describe("a message of the schedule", () => {
  it("asks for nothing when the next one has been sent", async () => {
    const world = new RepairWorld();
    world.send({ kind: "repair", time: new Date(world.timeline.now()).toISOString() });
    world.pass(minutes(5));

    await world.work(minutes(1));

    expect(world.requests.filter(({ to }) => to === "cluster")).toEqual([]);
    expect(world.told("repair-ended")).toHaveLength(1);
  });

  it("carries a reboot on no longer than until the next one", async () => {
    const world = withBrokenKernel();
    await world.goOn(minutes(10));
    world.pass(minutes(2));
    world.send({ kind: "repair", time: new Date(world.timeline.now()).toISOString() });

    await world.work(minutes(20));

    const [last] = world.requests.slice(-1);
    expect(Number(last?.at)).toBeLessThan(Date.parse("2026-11-20T10:17:30Z"));
    expect(world.told("repair-rebooted")).toHaveLength(1);
  });
});

describe("two passes at once", () => {
  it.each(["reboot", "replace"] as const)("repair a node once by a %s", async (action) => {
    const world = withBrokenKernel({ messages: 2, settings: afterTen("KernelReady", action) });
    world.in(minutes(18), () => world.kernel(3, "True"));

    await world.goOn(minutes(30));

    const what = action === "reboot" ? "RebootInstances" : "SetInstanceHealth";
    const asked = writesOf(world).filter((one) => one.what.endsWith(what));
    if (action === "reboot") expect(asked).toHaveLength(1);
    expect(
      new Set(asked.map(({ body }) => new URLSearchParams(body).get("InstanceId"))),
    ).toHaveProperty("size", 1);
    expect(world.inService.length).toBe(action === "reboot" ? 10 : 9);
    expect(world.traces).toEqual([]);
  });
});

describe("a zonal shift", () => {
  it("keeps the nodes of its zone from being repaired", async () => {
    const world = new RepairWorld();
    world.silence(1, 2);
    world.aws.zonalShifts.start("arn:aws:eks:eu-west-1:123456789012:cluster/demo", "eu-west-1a");

    await world.goOn(minutes(40));

    expect(world.repaired.map(({ index }) => index)).toEqual([2]);
    expect(world.told("repair-held")).toContainEqual(
      expect.objectContaining({ brake: "zone-shifted", instances: [instanceOf(1)] }),
    );
  });

  it("counts as none where nobody may ask for it, and the log says so", async () => {
    const world = new RepairWorld();
    world.silence(3);
    world.faults = ({ what }) =>
      what.startsWith("arc-zonal-shift")
        ? {
            kind: "aws-fault",
            fault: { code: "AccessDeniedException", status: 403, message: "no" },
            moment: "before",
          }
        : { kind: "well" };

    await world.goOn(minutes(36));

    expect(world.repaired).toHaveLength(1);
    expect(world.told("warning")[0]).toMatchObject({ about: "zonal shifts" });
  });
});

describe("a node on which somebody works", () => {
  it("is not repaired until they have taken their condition back", async () => {
    const world = withBrokenKernel();
    const works = (status: "False" | "True") =>
      world.cluster.setCondition(nodeOf(3), {
        type: "MaintenanceInProgress",
        status,
        reason: "MaintenanceWindow",
        message: "",
      });
    works("True");

    await world.goOn(hours(1));
    expect(world.traces).toEqual([`${nodeOf(3)} eks-node-lifecycle/ill-since`]);
    expect(world.told("repair-held").at(-1)).toMatchObject({
      brake: "maintenance",
      instances: [instanceOf(3)],
    });

    works("False");
    await world.goOn(minutes(10));
    expect(rebootsOf(world)).toHaveLength(1);
  });
});

describe("an agent that takes nothing back, and shows the newest reason beside the oldest time", () => {
  const accelerator = "AcceleratedHardwareReady";
  /** What an agent writes that has found the first fault in minute 1. */
  function says(world: RepairWorld, reason: string): void {
    const lastTransitionTime = wireTime(later(world.begunAt, minutes(1)));
    world.cluster.store.update({ resource: nodes, name: nodeOf(3) }, (node) => {
      const others = (node.status.conditions ?? []).filter(({ type }) => type !== accelerator);
      const its = {
        type: accelerator,
        status: "False",
        reason,
        message: "",
        lastTransitionTime,
      } as const;
      return { ...node, status: { ...node.status, conditions: [...others, its] } };
    });
  }
  const finds = (...faults: readonly (readonly [minute: number, reason: string])[]) => {
    const world = new RepairWorld();
    for (const [minute, reason] of faults) world.in(minutes(minute), () => says(world, reason));
    return world;
  };

  it("has a node replaced ten minutes after the reason that asks for it, and not at once", async () => {
    const world = finds([1, "DCGMError"], [61, "NvidiaXID79Error"]);

    await world.goOn(minutes(70));
    expect(world.repaired).toEqual([]);

    await world.goOn(minutes(10));
    expect(world.repaired).toMatchObject([{ index: 3, how: "replace" }]);
    expect(world.told("repair-begun")).toMatchObject([
      { cause: "AcceleratedHardwareReady/NvidiaXID79Error" },
    ]);
  });

  it("has it replaced though a reason that asks for nothing stands there when it is due", async () => {
    const world = finds([1, "NvidiaXID79Error"], [8, "DCGMError"]);

    await world.goOn(minutes(20));

    expect(world.repaired).toMatchObject([{ index: 3, how: "replace" }]);
    expect(world.declared).toEqual([instanceOf(3)]);
  });

  it("has nothing repaired where each reason asks for nothing, and the node has only one note", async () => {
    const world = finds([1, "DCGMError"], [8, "DCGMHealthCode101"], [20, "DCGMDiagnosticFailure"]);

    await world.goOn(hours(3));

    expect(world.repaired).toEqual([]);
    expect(world.traces).toEqual([`${nodeOf(3)} eks-node-lifecycle/ill-since`]);
    expect(writesOf(world)).toHaveLength(3);
  });

  it("is believed once it is well: the note goes, and a later fault counts from its own time", async () => {
    const world = finds([1, "DCGMError"]);
    const kernel = { type: accelerator, reason: "AcceleratedHardwareIsReady", message: "" };
    world.in(minutes(30), () =>
      world.cluster.setCondition(nodeOf(3), { ...kernel, status: "True" }),
    );

    await world.goOn(minutes(40));

    expect(world.traces).toEqual([]);
  });

  it("has the node repaired though its note can be written only later, from when it could", async () => {
    const world = finds([1, "NvidiaXID79Error"]);
    world.faults = ({ what, body }) =>
      what === `patch nodes ${nodeOf(3)}` && body.includes("ill-since")
        ? { kind: "cluster-fault", fault: refusal(403, "not now"), moment: "before" }
        : well;

    await world.goOn(minutes(30));
    expect(world.repaired).toEqual([]);
    expect(world.told("fault").length).toBeGreaterThan(4);

    world.faults = () => well;
    await world.goOn(minutes(20));
    expect(world.repaired).toMatchObject([{ index: 3, how: "replace" }]);
  });
});

describe("a record of repairs that somebody has changed", () => {
  it("counts as none, and the log names the first five of them once in each pass", async () => {
    const world = new RepairWorld();
    const of = { ResourceType: "auto-scaling-group", ResourceId: group };
    const changed = Array.from({ length: 7 }, (_, index) => ({
      ...of,
      Key: `eks-node-lifecycle/repaired/i-${index}`,
      Value: "long ago",
    }));
    putTags(world.aws.autoScaling.register, changed);

    await world.goOn(minutes(2));

    const [told, ...more] = world.told("warning");
    expect(told).toMatchObject({ about: "records of repairs" });
    expect(JSON.stringify(told)).toContain(`eks-node-lifecycle/repaired/i-4 of ${group}, 2 more`);
    expect(more.length).toBeLessThanOrEqual(world.told("repair-pass").length - 1);
  });
});
