import { describe, expect, it } from "vitest";
import { minutes } from "../../lambda/base/time.ts";
import { exclusionLabel, ownMark } from "../../lambda/drain/marking.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import { changeNode } from "../world/change.ts";
import { failing, well } from "../world/fault-plan.ts";
import { refusal } from "../world/refusal.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn } from "../world/workloads.ts";
import { instanceOf, nodeOf } from "../world/world-options.ts";

type Labels = Readonly<Record<string, string>>;

/** A world whose first instance is back in service after two minutes of a drain that a budget holds up. */
async function aWorldThatThinksBetter(
  labels: Labels = {},
  besides: (world: VirtualWorld) => void = () => undefined,
): Promise<VirtualWorld> {
  const world = new VirtualWorld();
  besides(world);
  changeNode(world, 1, (node) => ({
    ...node,
    metadata: { ...node.metadata, labels: { ...node.metadata.labels, ...labels } },
  }));
  deploy(world, { name: "web", on: { 1: 2 } });
  world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
  await world.drain(minutes(2));
  const { register } = world.aws.autoScaling;
  register.putInstance({ ...register.findInstance(instanceOf(1)), state: "InService" });
  return world;
}

const firstNode = (world: VirtualWorld) =>
  world.cluster.store.tryGet({ resource: nodes, name: nodeOf(1) });

describe("a termination that is called off in the middle of a drain", () => {
  it("leaves the node as it was before: schedulable, and without our marks", async () => {
    const world = await aWorldThatThinksBetter();
    expect(firstNode(world)?.spec.unschedulable).toBe(true);

    await world.work(minutes(10));

    expect(firstNode(world)?.spec.unschedulable ?? false).toBe(false);
    expect(firstNode(world)?.metadata.labels).not.toHaveProperty([exclusionLabel]);
    expect(Object.keys(firstNode(world)?.metadata.annotations ?? {}).join()).not.toMatch(
      /eks-node-lifecycle/,
    );
    expect(namesOn(world, 1)).toEqual(["web-1", "web-2"]);
    expect(world.told("mark-undone")).toHaveLength(1);
    expect(world.aws.sqs.findQueue("notices").contents()).toEqual([]);
  });

  it("is tried again, and told, while a webhook keeps the node closed", async () => {
    const world = await aWorldThatThinksBetter();
    world.faults = failing(/^patch nodes/, { status: 200, body: firstNode(world) ?? {} });
    world.in(minutes(5), () => {
      world.faults = () => well;
    });

    await world.work(minutes(10));

    expect(world.told("warning")).toContainEqual(
      expect.objectContaining({
        about: `instance ${instanceOf(1)}`,
        warnings: ["its mark is still there, for others keep writing its node"],
      }),
    );
    expect(firstNode(world)?.spec.unschedulable ?? false).toBe(false);
    expect(world.told("mark-undone")).toHaveLength(1);
    expect(world.aws.sqs.findQueue("notices").contents()).toEqual([]);
  });

  it("leaves the node closed where another drain has a nearer end", async () => {
    const world = await aWorldThatThinksBetter();
    changeNode(world, 1, ({ metadata, ...node }) => ({
      ...node,
      metadata: {
        ...metadata,
        annotations: { ...metadata.annotations, "eks-node-lifecycle/reason": "interrupted" },
      },
    }));

    await world.work(minutes(10));

    expect(firstNode(world)?.spec.unschedulable).toBe(true);
    expect(world.told("mark-undone")).toEqual([]);
  });

  it("gives the load balancer label its former value back", async () => {
    const world = await aWorldThatThinksBetter({ [exclusionLabel]: "false" });
    expect(firstNode(world)?.metadata.labels).toMatchObject({ [exclusionLabel]: ownMark });

    await world.work(minutes(10));

    expect(firstNode(world)?.metadata.labels).toMatchObject({ [exclusionLabel]: "false" });
    expect(Object.keys(firstNode(world)?.metadata.annotations ?? {}).join()).not.toMatch(
      /eks-node-lifecycle/,
    );
  });

  it.each<readonly [what: string, before: Labels, now: Labels]>([
    ["takes it away", { [exclusionLabel]: "false" }, {}],
    ["sets it to false", {}, { [exclusionLabel]: "false" }],
    ["sets it to 0", { [exclusionLabel]: "false" }, { [exclusionLabel]: "0" }],
  ])(
    "excludes the node again where somebody %s in the middle, and leaves in the end what they have written",
    async (_, before, now) => {
      const world = await aWorldThatThinksBetter(before, (begun) =>
        begun.in(minutes(1), () =>
          changeNode(begun, 1, ({ metadata, ...node }) => {
            const { [exclusionLabel]: __, ...others } = metadata.labels ?? {};
            return { ...node, metadata: { ...metadata, labels: { ...others, ...now } } };
          }),
        ),
      );
      expect(firstNode(world)?.metadata.labels).toMatchObject({ [exclusionLabel]: ownMark });

      await world.work(minutes(10));

      const { [exclusionLabel]: left } = firstNode(world)?.metadata.labels ?? {};
      expect(left).toBe(now[exclusionLabel]);
      expect(Object.keys(firstNode(world)?.metadata.annotations ?? {}).join()).not.toMatch(
        /eks-node-lifecycle/,
      );
    },
  );

  it("uncordons the node although others write to it at the same time", async () => {
    const world = await aWorldThatThinksBetter();
    let conflicts = 0;
    world.faults = ({ what }) => {
      if (!what.startsWith("patch nodes") || conflicts === 2) return well;
      conflicts += 1;
      return { kind: "cluster-fault", fault: refusal(409, "modified"), moment: "before" };
    };

    await world.work(minutes(10));

    expect(conflicts).toBe(2);
    expect(firstNode(world)?.spec.unschedulable ?? false).toBe(false);
    expect(world.told("mark-undone")).toHaveLength(1);
  });
});
