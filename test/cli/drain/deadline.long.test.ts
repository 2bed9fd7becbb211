import { describe, expect, it } from "vitest";
import {
  type Instant,
  instant,
  later,
  minutes,
  never,
  timestamp,
} from "../../../lambda/base/time.ts";
import {
  labelOf,
  recordAnnotation,
  recordLabel,
  recordText,
} from "../../../lambda/making-room/record.ts";
import { deployments } from "../../../sandbox/kubernetes/app-resources.ts";
import { nodes as nodesOf, pods } from "../../../sandbox/kubernetes/core-resources.ts";
import { jsonLines } from "../json-lines-schema.ts";
import {
  type ACluster,
  aCluster,
  deploy,
  drain,
  first,
  podsOn,
  second,
  writesIn,
} from "./a-cluster.ts";

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
const drainMoved = async (nodes: readonly string[], ...args: readonly string[]) =>
  drainSome(await aCluster(), { nodes, drained: nodes, args });

/** Drains some of the nodes with a pod each. */
async function drainSome(
  world: ACluster,
  { nodes, drained, args }: Readonly<Record<"args" | "drained" | "nodes", readonly string[]>>,
) {
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
      ...drained,
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

  it("names its own raised count, and no other one, beside a drain whose deadline is ahead, or not known", async () => {
    const begun = instant(Date.now());
    const besides = [never, later(begun, minutes(20))].map(async (deadline) => {
      const world = await aCluster();
      surgeAnother(world, begun);
      markSecond(world, begun, deadline);
      const args = ["--force", "at-deadline"];
      return drainSome(world, { nodes: [first, second], drained: [first], args });
    });
    for (const { ended } of await Promise.all(besides)) {
      expect(ended).toMatchObject({ code: 0, count: 4 });
      expect(ended.io.out().match(/raised counts: .*/g)).toEqual([
        expect.stringMatching(/deployment\/web: .*waits until its pods are available/),
      ]);
    }
  });
});

/** Runs a Deployment on the second node that its drain has surged. */
function surgeAnother(world: ACluster, begun: Instant): void {
  deploy(world, { name: "db", on: [second], labels: { app: "db" } });
  const times = { since: begun, until: later(begun, minutes(5)) };
  const text = recordText({ phase: "up", was: 1, is: 2, why: "node b", ...times });
  const db = { resource: deployments, namespace: "default", name: "db" };
  const annotations = { [recordAnnotation]: text };
  const labels = { [recordLabel]: labelOf(text) };
  world.cluster.store.update(db, ({ metadata, spec, ...rest }) => ({
    ...rest,
    metadata: { ...metadata, annotations, labels },
    spec: { ...spec, replicas: 2 },
  }));
}

/** Writes the mark of a drain onto the second node. */
function markSecond(world: ACluster, begun: Instant, deadline: Instant): void {
  const annotations = {
    "eks-node-lifecycle/marked-at": timestamp(begun),
    "eks-node-lifecycle/reason": "terminating",
    ...(deadline < never && { "eks-node-lifecycle/deadline": timestamp(deadline) }),
  };
  const ref = { resource: nodesOf, name: second };
  world.cluster.store.update(ref, ({ metadata, spec, ...rest }) => ({
    ...rest,
    metadata: { ...metadata, annotations: { ...metadata.annotations, ...annotations } },
    spec: { ...spec, unschedulable: true },
  }));
}
