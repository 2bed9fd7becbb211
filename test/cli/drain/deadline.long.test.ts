import { describe, expect, it } from "vitest";
import { deployments } from "../../../sandbox/kubernetes/app-resources.ts";
import { pods } from "../../../sandbox/kubernetes/core-resources.ts";
import { jsonLines } from "../json-lines-schema.ts";
import { aCluster, deploy, drain, first, podsOn, second, writesIn } from "./a-cluster.ts";

/** Drains a node whose only pod a budget holds, with the shortest deadline that there is. */
async function drainBlocked(...args: readonly string[]) {
  const world = await aCluster();
  deploy(world, { name: "web", on: [first], labels: { app: "web" } });
  await world.addBudget();
  const { io, code } = drain(world, [first, "--deadline", "30s", ...args]);
  return { world, io, code: await code };
}

describe("a drain whose deadline comes while a budget holds a pod", () => {
  it("ends with 3, names the pod with its reason, and deletes nothing unless it may force", async () => {
    const [kept, forced] = await Promise.all([
      drainBlocked(),
      drainBlocked("--force", "at-deadline", "--json"),
    ]);

    expect(kept.code).toBe(3);
    expect(kept.io.err()).toMatch(
      /^ip-10-0-0-1 is not drained\n {2}default\/web-1: held for .* by budget default\/web.*\n {2}node .*--undo/,
    );
    expect(podsOn(kept.world, first)).toEqual(["web-1"]);
    expect(writesIn(kept.world).filter((line) => line.startsWith("delete"))).toEqual([]);

    expect(forced.code).toBe(0);
    expect(jsonLines(forced.io).at(-1)).toMatchObject({
      ending: "drained",
      forced: [expect.stringMatching(/default\/web-1: deleted past budget default\/web/)],
    });
    expect(podsOn(forced.world, first)).toEqual([]);
  });
});

const longReady = {
  type: "Ready",
  status: "True",
  lastTransitionTime: "2026-01-01T00:00:00Z",
} as const;

/** Drains nodes with a pod each whose new ones are ready, and do not count before the deadline. */
async function drainMoved(nodes: readonly string[], ...args: readonly string[]) {
  const world = await aCluster();
  for (const name of ["ip-10-0-0-3.internal", "ip-10-0-0-4.internal"])
    world.cluster.addNode({ name, providerID: "aws:///eu-west-1a/i-00000000000000003" });
  const spec = { terminationGracePeriodSeconds: 1 };
  deploy(world, { name: "web", on: nodes, labels: { app: "web" }, spec });
  const deployment = { resource: deployments, namespace: "default", name: "web" };
  const strategy = { type: "RollingUpdate", rollingUpdate: { maxSurge: 2 } };
  world.cluster.store.update(deployment, (current) => ({
    ...current,
    spec: { ...current.spec, minReadySeconds: 45, strategy },
  }));
  for (const { metadata } of world.cluster.store.list(pods))
    world.cluster.store.update({ resource: pods, ...metadata }, (pod) => ({
      ...pod,
      status: {
        ...pod.status,
        conditions: [longReady],
      },
    }));
  await world.addBudget();
  /** Drains them, and tells what is left. */
  const drainFor = async (deadline: string) => {
    const { io, code } = drain(world, [
      ...nodes,
      ...["--make-room", "on", "--deadline", deadline, "--parallel", "2", ...args],
    ]);
    const ended = await code;
    const left = nodes.flatMap((node) => podsOn(world, node));
    return { io, code: ended, left, count: world.cluster.store.get(deployment).spec.replicas };
  };
  return { ended: await drainFor("30s"), again: () => drainFor("60s") };
}

describe("a drain whose deadline comes while new pods are ready and do not count yet", () => {
  it("moves nothing where it may not force, whichever nodes it drains, names the raised count, and moves all when it is repeated", async () => {
    const some = await Promise.all([drainMoved([first]), drainMoved([first, second])]);
    expect(some.map(({ ended }) => ended)).toMatchObject([
      { code: 3, left: ["web-1"], count: 2 },
      { code: 3, left: ["web-1", "web-2"], count: 4 },
    ]);
    for (const { ended } of some)
      expect(ended.io.out()).toMatch(
        /raised counts: .*deployment\/web: .*waits until its pods are available/,
      );
    expect(await Promise.all(some.map(({ again }) => again()))).toMatchObject([
      { code: 0, left: [], count: 1 },
      { code: 0, left: [], count: 2 },
    ]);
  });

  it("forces the pods of all its nodes beside the new ones, and puts the count back, where it might", async () => {
    const { ended } = await drainMoved([first, second], "--force", "at-deadline", "--json");
    expect(ended).toMatchObject({ code: 0, left: [], count: 2 });
    expect(JSON.stringify(jsonLines(ended.io))).toMatch(/past budget/);
    expect(jsonLines(ended.io).at(-1)).toMatchObject({
      kind: "making-room",
      stage: "put back",
      from: 4,
      to: 2,
    });
  });
});
