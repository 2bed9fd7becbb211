import { CoreV1Api } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { instant, later, minutes, seconds, timestamp } from "../../lambda/base/time.ts";
import { leaseAnnotation } from "../../lambda/drain/eviction-lease.ts";
import { runShifted, shiftedBy } from "../support/shifted-clock.ts";
import { applyAdopted } from "./adopted-pods.ts";
import { running } from "./ended-at-once.ts";
import { pod, replicaSet } from "./manifests.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";
import { tellEvent } from "./told-events.ts";

const names = ["at-a-terminal", "with-a-lease", "by-a-hook", "by-spot", "stays"] as const;
const nodes = names.map((name, index) => ({
  name,
  instanceId: `i-0000000000000000${index + 1}`,
  zone: "eu-west-1a",
}));
const [terminal, turned, hooked, spot] = names;
const [, , held = "", interrupted = ""] = nodes.map(({ instanceId }) => instanceId);
const patience = { timeout: 90_000, interval: 200 };
const lasts = 8;
// Leases last twenty seconds; nobody waits for the end of this one.
const lease = seconds(90);

/** Two pods of a ReplicaSet that are on a node already, and end in some seconds. */
function slowPods(node: string) {
  const annotations = { "hollow/term-seconds": String(lasts) };
  const workload = { name: node, annotations, spec: { terminationGracePeriodSeconds: 30 } };
  const placed = ["a", "b"].map((one) => {
    const spec = { ...workload.spec, nodeName: node };
    return pod({ ...workload, name: `${node}-${one}`, labels: { app: node }, spec });
  });
  return [...placed, replicaSet({ ...workload, replicas: 2 })];
}

describe("processes whose clocks are ahead, on a real control plane", () => {
  let world: RealWorld;
  let core: CoreV1Api;

  beforeAll(async () => {
    world = await startRealWorld({
      nodes,
      group: "workers",
      settings: { ...shiftedBy(seconds(240)) },
      // Lambda dates the end of an invocation by the clock of the function, and the sandbox by its own.
      timeout: minutes(10),
    });
    core = world.controlPlane.api(CoreV1Api);
    await applyAdopted(world.controlPlane, ...names.slice(0, 4).flatMap(slowPods));
    await vi.waitFor(async () => expect((await running(world)).size).toBe(8), patience);
  }, 120_000);
  afterAll(async () => world.stop());

  /** The pods that a node had, if they are still there. */
  const left = async (node: string) =>
    (await core.listNamespacedPod({ namespace: "default" })).items
      .filter(({ spec }) => spec?.nodeName === node)
      .map(({ metadata }) => metadata?.name);

  const drain = (node: string) => {
    const access = ["--kubeconfig", world.controlPlane.kubeconfig, "--no-aws", "--settle", "0s"];
    return runShifted(seconds(100), "drain", node, ...access);
  };

  it("wait for the grace of each pod: a drain at a terminal, one behind another's lease, and a hook's", async () => {
    const path = `/metadata/annotations/${leaseAnnotation.replace("/", "~1")}`;
    const value = `somebody ${timestamp(later(instant(Date.now()), lease))}`;
    await core.patchNode({ name: turned, body: [{ op: "add", path, value }] });
    const begun = Date.now();
    world.terminate(held);
    tellEvent(world, "interruption", { instance: interrupted });

    const ended = await Promise.all([
      drain(terminal).then(async (end) => ({ ...end, left: await left(terminal) })),
      drain(turned).then(async (end) => ({
        ...end,
        left: await left(turned),
        took: Date.now() - begun,
      })),
      world.released(held).then(async (actions) => ({ actions, left: await left(hooked) })),
      vi.waitFor(async () => expect(await left(spot)).toEqual([]), patience),
    ]);

    const [alone, behind, hook] = ended;
    expect([alone.code, alone.left, alone.err]).toMatchObject([0, [], expect.any(String)]);
    expect(alone.out).toMatch(/drained at-a-terminal in (?:[89]|[1-9]\d) s: \d pods gone/);
    expect(alone.out + alone.err).toMatch(
      /the clock of this computer is 1 min [1-4]\d s ahead of the cluster's/,
    );
    expect([behind.code, behind.left]).toEqual([0, []]);
    expect(behind.took).toBeGreaterThan(20_000);
    expect(behind.took).toBeLessThan(lease);
    expect(hook.left).toEqual([]);
    expect(hook.actions).toMatchObject([{ end: { result: "CONTINUE", by: "call" } }]);
    const outcomes = () => world.log.filter((line) => line.includes('"notice-done"')).join("\n");
    await vi.waitFor(() => expect(outcomes()).toContain(`interrupted ${interrupted}`), patience);
    expect(outcomes()).not.toMatch(/"ignored"|"expired"|"forced"/);
  }, 150_000);
});
