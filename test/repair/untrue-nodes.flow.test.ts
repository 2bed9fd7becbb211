import { describe, expect, it } from "vitest";
import { hours, type Instant, later, minutes, timestamp } from "../../lambda/base/time.ts";
import { reasonAnnotation } from "../../lambda/drain/cause.ts";
import { cordonedAnnotation, markedAtAnnotation } from "../../lambda/drain/marking.ts";
import { repairAnnotation } from "../../lambda/repair/repair-marks.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import type { StatusCondition } from "../../sandbox/kubernetes/kube-object.ts";
import type { Node } from "../../sandbox/kubernetes/node.ts";
import { type RepairLand, RepairWorld } from "../world/repair-world.ts";
import { instanceOf, nodeOf } from "../world/world-options.ts";

// A kubelet writes 9999-12-31T23:59:59-23:59, and the API server shows this.
const tooLate = "10000-01-01T23:58:59Z";
// The last time that a Date can have.
const lastOfAll = "+275760-09-13T00:00:00.000Z";

const [well, truly, untrue] = [2, 3, 5];

/** A world whose third node is ill, and whose fifth has a kubelet that somebody has taken over. */
function withUntrue(change: (node: Node) => Node, land: RepairLand = {}): RepairWorld {
  const world = new RepairWorld(land);
  const write = (): void => {
    const ref = { resource: nodes, name: nodeOf(untrue) };
    if (world.cluster.store.tryGet(ref) !== undefined) world.cluster.store.update(ref, change);
  };
  world.silence(truly);
  // It writes again what others take back.
  for (let after = 1; after < 180; after += 1) world.in(minutes(after), write);
  return world;
}

const withCondition = (node: Node, ...added: readonly StatusCondition[]): Node => {
  const types = added.map(({ type }) => type);
  const others = (node.status.conditions ?? []).filter(({ type }) => !types.includes(type));
  return { ...node, status: { ...node.status, conditions: [...others, ...added] } };
};

const withAnnotations = (node: Node, added: Readonly<Record<string, string>>): Node => {
  const annotations = { ...node.metadata.annotations, ...added };
  return { ...node, metadata: { ...node.metadata, annotations } };
};

const condition = (type: string, status: "False" | "True", since: string): StatusCondition => ({
  type,
  status,
  reason: "Untrue",
  message: "",
  lastTransitionTime: since,
});

const longAgo = "2026-11-20T01:00:00Z";
const ill = (node: Node): Node => withCondition(node, condition("KernelReady", "False", longAgo));
const tended = (node: Node, since = longAgo): Node =>
  withCondition(ill(node), condition("MaintenanceInProgress", "True", since));

const mark = {
  [markedAtAnnotation]: longAgo,
  [reasonAnnotation]: "ill",
  [cordonedAnnotation]: "true",
};

describe("the kubelet of one node keeps no other from being repaired", () => {
  it.each<[string, (node: Node) => Node]>([
    ["that it is worked on since the year 10000", (node) => tended(node, tooLate)],
    [
      "that it is ill since the year 10000",
      (node) => withCondition(node, condition("KernelReady", "False", tooLate)),
    ],
    [
      "that it reboots at the end of all time",
      (node) => withAnnotations(ill(node), { [repairAnnotation]: `rebooting x ${lastOfAll}` }),
    ],
    [
      "that its taint is of the year 10000",
      (node) => {
        const taints = [{ key: "untrue", effect: "NoExecute", timeAdded: tooLate }];
        return { ...node, spec: { ...node.spec, taints } };
      },
    ],
    [
      "that it is under repair, and somebody works on it",
      (node) => withAnnotations(tended(node), mark),
    ],
    [
      "that it reboots, again and again",
      (node) =>
        withAnnotations(ill(node), { ...mark, [repairAnnotation]: `rebooting x ${longAgo}` }),
    ],
  ])("by saying %s", async (_, change) => {
    const world = withUntrue(change);

    await world.goOn(hours(2));

    expect(world.declared).toContain(instanceOf(truly));
  });

  it("by a reboot that it says to begin now, whenever anybody looks", async () => {
    const now = { text: "" };
    const world = withUntrue((node) =>
      withAnnotations(ill(node), { ...mark, [repairAnnotation]: `rebooting x ${now.text}` }),
    );
    for (let after = 0; after < 180; after += 1)
      world.in(minutes(after), () => {
        now.text = timestamp(world.timeline.now());
      });

    await world.goOn(hours(2));

    expect(world.declared).toContain(instanceOf(truly));
  });

  it("by a boot id of two words: it is replaced, as one that tells none", async () => {
    const overrides = [{ condition: "KernelReady", reason: "*", minutes: 10, action: "reboot" }];
    const world = withUntrue(
      (node) => {
        const nodeInfo = { ...node.status.nodeInfo, bootID: "a b" };
        return ill({ ...node, status: { ...node.status, nodeInfo } });
      },
      { settings: { REPAIR_OVERRIDES: JSON.stringify(overrides) } },
    );

    await world.goOn(hours(2));

    expect(new Set(world.declared)).toEqual(new Set([truly, untrue].map(instanceOf)));
    expect(world.requests.filter(({ what }) => what.endsWith("RebootInstances"))).toEqual([]);
  });
});

/** A node whose kubelet says at some times that it is ill, and at others that it is well and no repair is under way. */
function flapping(node: Node, says: "False" | "True", now: Instant): Node {
  const said = withCondition(node, condition("KernelReady", says, timestamp(now)));
  const { annotations = {} } = said.metadata;
  const own = says === "False" ? [] : [repairAnnotation, markedAtAnnotation, cordonedAnnotation];
  const kept = Object.entries(annotations).filter(([key]) => !own.includes(key));
  return { ...said, metadata: { ...said.metadata, annotations: Object.fromEntries(kept) } };
}

describe("a kubelet that calls its own node ill again and again", () => {
  it("gets one reboot at most, and then loses its instance, though it takes all marks off", async () => {
    const overrides = [{ condition: "KernelReady", reason: "*", minutes: 1, action: "reboot" }];
    const settings = { REPAIR_OVERRIDES: JSON.stringify(overrides) };
    const world = new RepairWorld({ settings });
    const ref = { resource: nodes, name: nodeOf(untrue) };
    for (let after = 1; after < 60 * 3; after += 1)
      world.in(minutes(after), () => {
        const says = after % 20 > 5 ? "False" : "True";
        const since = later(world.timeline.now(), minutes(-5));
        if (world.cluster.store.tryGet(ref) !== undefined)
          world.cluster.store.update(ref, (node) => flapping(node, says, since));
      });

    await world.goOn(hours(3));

    const reboots = world.requests.filter(({ what }) => what.endsWith("RebootInstances"));
    expect(reboots.length).toBeLessThanOrEqual(1);
    expect(world.declared).toEqual([instanceOf(untrue)]);
  });
});

describe("a kubelet that registers its node with the provider ID of another instance", () => {
  it.each(["reboot", "replace"])(
    "has no %s of that instance, however ill it calls its node",
    async (action) => {
      const overrides = [{ condition: "KernelReady", reason: "*", minutes: 10, action }];
      const world = new RepairWorld({ settings: { REPAIR_OVERRIDES: JSON.stringify(overrides) } });
      world.cluster.store.update({ resource: nodes, name: nodeOf(untrue) }, (node) => {
        const { providerID = "" } = world.node(well)?.spec ?? {};
        return ill({ ...node, spec: { ...node.spec, providerID } });
      });

      await world.goOn(hours(1));

      expect(world.repaired.map(({ index }) => index)).not.toContain(well);
      expect(world.declared).not.toContain(instanceOf(well));
      expect(world.requests.filter(({ what }) => what.endsWith("RebootInstances"))).toEqual([]);
    },
  );

  it("is left alone and named, and looked at no more often than the schedule says", async () => {
    const world = new RepairWorld();
    world.cluster.store.update({ resource: nodes, name: nodeOf(untrue) }, (node) => {
      const { providerID = "" } = world.node(well)?.spec ?? {};
      return ill({ ...node, spec: { ...node.spec, providerID } });
    });

    await world.goOn(hours(1));

    const looks = world.requests.filter(({ what }) => what === "list nodes");
    expect(looks.length).toBeLessThanOrEqual(60);
    expect(world.entries.findLast(({ kind }) => kind === "repair-ill")).toMatchObject({
      node: nodeOf(untrue),
      instance: instanceOf(untrue),
      verdict: expect.stringContaining(`${instanceOf(well)} of another`),
    });
  });
});
