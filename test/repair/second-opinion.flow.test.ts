import { describe, expect, it } from "vitest";
import { hours, later, minutes } from "../../lambda/base/time.ts";
import { type FaultPlan, failing, well } from "../world/fault-plan.ts";
import { refusal } from "../world/refusal.ts";
import { type RepairLand, RepairWorld } from "../world/repair-world.ts";
import { podsOn } from "../world/workloads.ts";
import { instanceOf, nodeOf } from "../world/world-options.ts";

const agent = "eks-node-monitoring-agent";
const settings = { REPAIR_SECOND_OPINION: "restart-agent" };

/** A world whose agent finds in minute 1 that an interface of the third node is not up, until its pod restarts. */
function aWorld({
  withAgent = true,
  ...land
}: RepairLand & { withAgent?: boolean } = {}): RepairWorld {
  const world = new RepairWorld({ settings, ...land });
  if (withAgent) world.cluster.addDaemonSet({ name: agent, namespace: "kube-system" });
  world.in(minutes(1), () => says(world, "False"));
  return world;
}

const says = (world: RepairWorld, status: "False" | "True") =>
  world.cluster.setCondition(nodeOf(3), {
    type: "NetworkingReady",
    status,
    reason: status === "True" ? "NetworkingIsReady" : "InterfaceNotUp",
    message: "",
  });

/** A new pod of the agent forgets what the old one has found; it finds the same again where the fault is there. */
function restarts(world: RepairWorld, fault: "gone" | "there"): { readonly count: number } {
  const seen = { count: 0 };
  world.onDeparture(({ name }) => {
    if (!name.startsWith(agent)) return;
    seen.count += 1;
    world.in(minutes(1), () => says(world, "True"));
    if (fault === "there") world.in(minutes(6), () => says(world, "False"));
  });
  return seen;
}

/** Adds a pod to the third node that is not ready. */
const unready = (world: RepairWorld, namespace: string, name = "web") =>
  world.cluster.addPod({
    namespace,
    name,
    node: nodeOf(3),
    annotations: { "hollow/ready": "false" },
  });

const deletions = ({ requests }: RepairWorld) =>
  requests.filter(({ what }) => what.startsWith(`delete pods`) && what.includes(agent));

describe("a node that only its agent calls ill", () => {
  it("is not replaced if the agent finds it well after its restart, and only its own agent restarts, once", async () => {
    const world = aWorld();
    const seen = restarts(world, "gone");

    await world.goOn(hours(3));

    expect(seen.count).toBe(1);
    expect(deletions(world)).toHaveLength(1);
    expect(world.told("repair-agent-restarted")).toMatchObject([
      { node: nodeOf(3), instance: instanceOf(3), cause: "NetworkingReady/InterfaceNotUp" },
    ]);
    expect(world.repaired).toEqual([]);
    expect(world.inService).toContain(3);
    expect(world.traces).toEqual([`${nodeOf(3)} eks-node-lifecycle/agent-restarted`]);
  });

  it("is replaced ten minutes after the restart if the agent finds the same again", async () => {
    const world = aWorld();
    restarts(world, "there");

    await world.goOn(minutes(34));
    expect(world.repaired).toEqual([]);
    await world.goOn(minutes(16));

    expect(deletions(world)).toHaveLength(1);
    expect(world.repaired).toMatchObject([{ index: 3, how: "replace" }]);
    expect(world.declared).toEqual([instanceOf(3)]);
  });

  it("waits for a reason that its agent first tells after the restart, as for any", async () => {
    const world = aWorld();
    restarts(world, "gone");
    const type = "NetworkingReady";
    const other = { type, status: "False", reason: "IPAMDNotReady", message: "" } as const;
    world.in(minutes(44), () => world.cluster.setCondition(nodeOf(3), other));

    await world.goOn(minutes(70));
    expect(world.repaired).toEqual([]);
    await world.goOn(minutes(20));

    expect(world.repaired).toMatchObject([{ index: 3, how: "replace" }]);
  });

  it("gets one restart of two passes at once", async () => {
    const world = aWorld({ messages: 2 });
    restarts(world, "gone");

    await world.goOn(hours(1));

    expect(deletions(world)).toHaveLength(1);
    expect(world.repaired).toEqual([]);
  });

  it("is replaced without one where half of the pods of two namespaces are not ready", async () => {
    const world = aWorld();
    for (const namespace of ["shop", "bank"]) unready(world, namespace);

    await world.goOn(minutes(40));

    expect(world.told("repair-agent-restarted")).toEqual([]);
    expect(world.repaired).toMatchObject([{ index: 3, how: "replace" }]);
  });

  it("gets one all the same where somebody has filled it with pods of one namespace that are not ready", async () => {
    const world = aWorld();
    const seen = restarts(world, "gone");
    for (let count = 0; count < 20; count += 1) unready(world, "tenant", `web-${count}`);

    await world.goOn(hours(2));

    expect(seen.count).toBe(1);
    expect(world.repaired).toEqual([]);
  });

  it("is replaced without one where its node runs no agent", async () => {
    const world = aWorld({ withAgent: false });

    await world.goOn(minutes(40));

    expect(world.told("repair-agent-restarted")).toEqual([]);
    expect(world.repaired).toMatchObject([{ index: 3, how: "replace" }]);
  });

  it("is replaced all the same, ten minutes later, where the API server denies the restart", async () => {
    const world = aWorld();
    const denied: FaultPlan = ({ what }) =>
      what.startsWith("delete pods")
        ? { kind: "cluster-fault", fault: refusal(403, "a policy denies it"), moment: "before" }
        : well;
    world.faults = denied;

    await world.goOn(minutes(36));
    expect(world.repaired).toEqual([]);
    expect(world.told("warning").at(-1)).toMatchObject({
      about: "a second opinion",
      warnings: [expect.stringContaining("a policy denies it")],
    });
    await world.goOn(minutes(15));

    expect(world.repaired).toMatchObject([{ index: 3, how: "replace" }]);
  });

  it("waits while its pods cannot be read, and the pass goes on with all else", async () => {
    const world = aWorld();
    const silent = failing(/^list pods$/, refusal(500, "etcd is slow"));
    const ends = later(world.timeline.now(), minutes(60));
    world.faults = (request) => (request.at < ends ? silent(request) : well);
    restarts(world, "gone");

    await world.goOn(minutes(58));
    expect(world.repaired).toEqual([]);
    const faults = new Set(world.told("fault").map(({ instance }) => instance));
    expect(faults).toEqual(new Set([instanceOf(3)]));
    await world.goOn(hours(1));
    expect(world.told("repair-agent-restarted")).toHaveLength(1);
  });

  it("keeps its agent where a brake holds the repair", async () => {
    const world = aWorld({ settings: { ...settings, REPAIR_MODE: "dry-run" } });
    const seen = restarts(world, "gone");

    await world.goOn(hours(2));

    expect(seen.count).toBe(0);
    expect(podsOn(world, 3).map(({ metadata }) => metadata.namespace)).toContain("kube-system");
  });
});
