import { describe, expect, it } from "vitest";
import { hours, timestamp } from "../../lambda/base/time.ts";
import { reasonAnnotation } from "../../lambda/drain/cause.ts";
import { markedAtAnnotation } from "../../lambda/drain/marking.ts";
import { repairAnnotation } from "../../lambda/repair/repair-marks.ts";
import { agentRestartedAnnotation } from "../../lambda/repair/second-opinion.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import { wireTime } from "../../sandbox/kubernetes/kube-time.ts";
import type { Node } from "../../sandbox/kubernetes/node.ts";
import type { Fault } from "../world/fault-plan.ts";
import { well } from "../world/fault-plan.ts";
import { refusal } from "../world/refusal.ts";
import { RepairWorld } from "../world/repair-world.ts";
import { nodeOf } from "../world/world-options.ts";

const [truly, restless] = [3, 5];
const ref = { resource: nodes, name: nodeOf(restless) };
const [lists, gets, patches] = [/^list nodes/, `get nodes ${ref.name}`, `patch nodes ${ref.name}`];

/** What somebody does to the restless node just before a request of the function takes effect. */
type Doing = (world: RepairWorld, what: string) => Fault | undefined;

const change = ({ cluster }: RepairWorld, how: (node: Node) => Node): undefined => {
  if (cluster.store.tryGet(ref) !== undefined) cluster.store.update(ref, how);
};

/** Writes annotations of the node, or takes them away. */
const annotate = (world: RepairWorld, changes: Readonly<Record<string, string | undefined>>) =>
  change(world, ({ metadata, ...node }) => {
    const all = Object.entries({ ...metadata.annotations, ...changes });
    const annotations = Object.fromEntries(
      all.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
    );
    return { ...node, metadata: { ...metadata, annotations } };
  });

/** Its kubelet says this of its readiness, since long. */
const says = (world: RepairWorld, status: "False" | "Unknown") =>
  change(world, (node) => {
    const others = (node.status.conditions ?? []).filter(({ type }) => type !== "Ready");
    const lastTransitionTime = "2026-11-20T01:00:00Z";
    const ready = { type: "Ready", status, reason: "Untrue", message: "", lastTransitionTime };
    return { ...node, status: { ...node.status, conditions: [...others, ready] } };
  });

/** The kubelet of a node says that it is not ready since now. */
function illAnew({ cluster, timeline }: RepairWorld, name: string): void {
  const lastTransitionTime = wireTime(timeline.now());
  const ready = { type: "Ready", status: "False", reason: "Anew", message: "" } as const;
  cluster.store.update({ resource: nodes, name }, (node) => {
    const others = (node.status.conditions ?? []).filter(({ type }) => type !== ready.type);
    const conditions = [...others, { ...ready, lastTransitionTime }];
    return { ...node, status: { ...node.status, conditions } };
  });
}

/** Deletes the node; its kubelet registers it again, without marks. */
function registerAgain({ cluster: { store } }: RepairWorld): undefined {
  const node = store.tryGet(ref);
  if (node === undefined) return undefined;
  store.remove(ref);
  const { name, labels = {} } = node.metadata;
  store.create(nodes, {
    metadata: { name, labels },
    spec: { ...node.spec, taints: [], unschedulable: false },
    status: node.status,
  });
  return undefined;
}

const overrides = (action: "reboot" | "replace") => ({
  REPAIR_OVERRIDES: JSON.stringify([{ condition: "Ready", reason: "*", minutes: 1, action }]),
});

/** A world of ten nodes whose third has lost its kubelet, and whose fifth is ill and never at rest. */
function aWorld(action: "reboot" | "replace", doing: Doing, settings = {}): RepairWorld {
  const world = new RepairWorld({ settings: { ...overrides(action), ...settings } });
  world.silence(truly);
  says(world, "False");
  world.faults = ({ what }) => doing(world, what) ?? well;
  return world;
}

/** How often a pass has looked in an hour. The schedule does so twelve times. */
const looksAnHour = (world: RepairWorld, lasted: number): number =>
  world.told("repair-pass").length / lasted;

let written = 0;

const ways: readonly (readonly [string, Doing])[] = [
  [
    "is written just before each write of a repair",
    (world, what) => {
      written += 1;
      return what === patches ? annotate(world, { written: `${written}` }) : undefined;
    },
  ],
  [
    "may not be written, for a webhook refuses that",
    (_, what) =>
      what === patches
        ? { kind: "cluster-fault", fault: refusal(403, "no"), moment: "before" }
        : undefined,
  ],
  [
    "is another one at each look",
    (world, what) => (what === gets ? registerAgain(world) : undefined),
  ],
  [
    "is another one at each write",
    (world, what) => (what === patches ? registerAgain(world) : undefined),
  ],
  [
    "says another thing of its readiness whenever it is read",
    (world, what) =>
      lists.test(what) ? says(world, "False") : what === gets ? says(world, "Unknown") : undefined,
  ],
  [
    "takes off the mark of its reboot at each look",
    (world, what) =>
      what === gets || lists.test(what)
        ? annotate(world, { [repairAnnotation]: undefined })
        : undefined,
  ],
];

describe("an ill node that is never at rest", () => {
  it.each(
    ways.flatMap(([way, doing]) =>
      (["replace", "reboot"] as const).map((action) => [way, action, doing] as const),
    ),
  )(
    "%s: it keeps no other from being repaired, and has nobody look much more often (%s)",
    async (_, action, doing) => {
      const world = aWorld(action, doing);

      await world.goOn(hours(2));

      expect(world.repaired.map(({ index }) => index)).toContain(truly);
      expect(looksAnHour(world, 2)).toBeLessThan(30);
    },
  );

  it("says that it reboots now whenever it is read: it is looked at no more often than others", async () => {
    const world = aWorld("reboot", (own, what) => {
      const now = timestamp(own.timeline.now());
      const marks = { [markedAtAnnotation]: now, [reasonAnnotation]: "ill" };
      return lists.test(what)
        ? annotate(own, { ...marks, [repairAnnotation]: `rebooting x ${now}` })
        : undefined;
    });

    await world.goOn(hours(2));

    expect(world.repaired.map(({ index }) => index)).toContain(truly);
    expect(looksAnHour(world, 2)).toBeLessThan(30);
  });

  it("takes off that its agent was restarted: that is asked for again, and keeps no other from being repaired", async () => {
    const agent = { name: "eks-node-monitoring-agent", namespace: "kube-system" };
    const world = new RepairWorld({ settings: { REPAIR_SECOND_OPINION: "restart-agent" } });
    world.cluster.addDaemonSet(agent);
    world.silence(truly);
    const ill = { type: "NetworkingReady", status: "False", reason: "InterfaceNotUp" } as const;
    world.cluster.setCondition(ref.name, { ...ill, message: "" });
    world.faults = ({ what }) => {
      if (lists.test(what)) annotate(world, { [agentRestartedAnnotation]: undefined });
      return well;
    };

    await world.goOn(hours(3));

    expect(world.repaired.map(({ index }) => index)).toContain(truly);
  });

  it("has replaced another one, and is ill again at each look: others wait for it for an hour", async () => {
    const world = new RepairWorld();
    const before = new Set(world.nodes.map(({ metadata: { name } }) => name));
    world.faults = ({ what }) => {
      const added = world.nodes.filter(({ metadata: { name } }) => !before.has(name));
      if (lists.test(what)) for (const { metadata } of added) illAnew(world, metadata.name);
      return well;
    };
    world.silence(restless);
    await world.goOn(hours(1));
    world.silence(truly);

    await world.goOn(hours(2));

    expect(world.repaired.map(({ index }) => index)).toEqual([restless, truly]);
  });
});
