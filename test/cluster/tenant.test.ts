import { CoreV1Api, PolicyV1Api } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { clusterAt } from "../../cli/connect/cluster-access.ts";
import { main } from "../../cli/main.ts";
import { instanceId } from "../../lambda/base/ids.ts";
import { KubeGroupNodes } from "../../lambda/kubernetes/kube-group-nodes.ts";
import { capturedIo } from "../cli/captured-io.ts";
import { applyAdopted } from "./adopted-pods.ts";
import { running } from "./ended-at-once.ts";
import { namespace, pod } from "./manifests.ts";
import { placedPods } from "./placed-pods.ts";
import { ProcessFigures } from "./process-figures.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";

const names = ["shared", "crowded"] as const;
const nodes = names.map((name, index) => ({
  name,
  instanceId: `i-0000000000000000${index + 1}`,
  zone: "eu-west-1a",
}));
const [sharedId = "", crowdedId = ""] = nodes.map(({ instanceId }) => instanceId);
const replicas = 6;
const patience = { timeout: 600_000, interval: 100 };
// Lists begin with what these have.
const [tenant, crowd] = ["aaa-tenant", "bbb-crowd"];
// A megabyte each; 200 budgets, or 150 pods, are what one editor of one namespace has made in an attack.
const { TENANT_BUDGETS = "24", TENANT_PODS = "12" } = process.env;
const words = Array.from({ length: 110_000 }, (_, index) => `w${index.toString(36)}`);
const env = Array.from({ length: 10 }, (_, index) => ({
  name: `PADDING_${index}`,
  value: "x".repeat(130_000),
}));

async function makeBudgets({ controlPlane }: RealWorld): Promise<void> {
  const policies = controlPlane.api(PolicyV1Api);
  const selector = { matchExpressions: [{ key: "app", operator: "In", values: words }] };
  for (let made = 1; made <= Number(TENANT_BUDGETS); made += 1)
    await vi.waitFor(
      () =>
        policies
          .createNamespacedPodDisruptionBudget({
            namespace: tenant,
            body: { metadata: { name: `budget-${made}` }, spec: { selector, maxUnavailable: 1 } },
          })
          .catch(unlessThere),
      patience,
    );
}

async function makePods({ controlPlane }: RealWorld, node: string): Promise<void> {
  const core = controlPlane.api(CoreV1Api);
  const containers = [{ name: "main", image: "registry.k8s.io/pause:3.10", env }];
  const spec = { nodeName: node, terminationGracePeriodSeconds: 3, containers };
  for (let made = 1; made <= Number(TENANT_PODS); made += 1) {
    const body = { metadata: { name: `huge-${made}` }, spec };
    await vi.waitFor(
      () => core.createNamespacedPod({ namespace: crowd, body }).catch(unlessThere),
      patience,
    );
  }
}

/** A request without an answer may have been done. */
function unlessThere(cause: unknown): void {
  if (!String(cause).includes("already exists")) throw cause;
}

describe("a tenant with objects of a megabyte each, on a real control plane", () => {
  const figures = new ProcessFigures();
  let world: RealWorld;

  beforeAll(async () => {
    world = await startRealWorld({ nodes, group: "workers" });
    const spec = { nodeName: names[0], terminationGracePeriodSeconds: 3 };
    await world.controlPlane.apply(namespace(tenant), namespace(crowd));
    await applyAdopted(
      world.controlPlane,
      ...names.flatMap((node) => placedPods({ node, replicas, allowed: replicas })),
      pod({ name: "theirs", namespace: tenant, spec }),
    );
    await makeBudgets(world);
    await makePods(world, names[1]);
    await vi.waitFor(async () => expect((await running(world)).size).toBe(2 * replicas), patience);
  }, 900_000);
  afterAll(async () => {
    figures.stop();
    await world.stop();
  });

  /** The titles of pods that were evicted, in that order. */
  const evicted = (): readonly string[] =>
    world.log
      .filter((line) => line.includes('"kind":"pod-evicted"'))
      .map((line) => /"pod":"([^"]+)"/.exec(line)?.[1] ?? "");

  /** Drains a node, and says how long the pods of others took, and what the function used. */
  async function drained(node: string, instance: string) {
    figures.reset();
    const began = Date.now();
    world.terminate(instance);
    const others = () => evicted().filter((title) => title.startsWith(`default/${node}-`));
    await vi.waitFor(() => expect(others()).toHaveLength(replicas), patience);
    const took = Date.now() - began;
    const actions = await world.released(instance);
    expect(actions).toMatchObject([{ end: { result: "CONTINUE", by: "call" } }]);
    const { read, memory } = figures.figures();
    return { read, memory, told: `${took} ms for others, ${read} MB read, ${memory} MB used` };
  }

  /** A plan, a dry run and an upgrade go on beside the crowd, and name it. */
  async function lookBeside(): Promise<void> {
    const { kubeconfig } = world.controlPlane;
    const told = async (...argv: readonly string[]): Promise<string> => {
      const io = capturedIo();
      await main([...argv, "--kubeconfig", kubeconfig], io);
      return io.out() + io.err();
    };
    await vi.waitFor(async () => {
      const plan = await told("plan", names[1]);
      expect(plan).toContain(`pods of namespace ${crowd}: they are too many or too large`);
      // Pods of the other node are here too once that is drained; their budget allows nothing before they are healthy.
      expect(plan).toMatch(/at once: (6|12) pods/);
    }, patience);
    const dryRun = await told("drain", names[1], "--dry-run", "--no-aws");
    expect(dryRun).toContain(`pods of namespace ${crowd}: not asked about`);
    const access = await clusterAt(undefined, { kubeconfig });
    const groupNodes = new KubeGroupNodes(access.client, { namesOf: async () => new Map() });
    const found = await groupNodes.nodeInfos([instanceId(crowdedId)]);
    const crowded = found.find(({ node }) => node.name === names[1]);
    expect([replicas, 2 * replicas]).toContain(crowded?.pods.length);
    expect(groupNodes.unreadNamespaces()).toEqual([crowd]);
    await access.close();
  }

  it("does not keep the pods of others by its budgets, nor its own, and they are not read to their end", async ({
    annotate,
  }) => {
    const { read, memory, told } = await drained(names[0], sharedId);
    void annotate(told);
    expect(evicted()).toContain(`${tenant}/theirs`);
    expect(read).toBeLessThan(12);
    expect(memory).toBeLessThan(256);
  }, 900_000);

  it("keeps by its pods neither a plan, a dry run and an upgrade, which name it, nor the pods of others, and these are evicted too", async ({
    annotate,
  }) => {
    await lookBeside();
    const { memory, told } = await drained(names[1], crowdedId);
    void annotate(told);
    const own = (title: string): boolean => title.startsWith(`${crowd}/`);
    const here = evicted().filter((title) => own(title) || title.startsWith("default/crowded-"));
    // Theirs are asked for last, but side by side with others: answers overtake each other, so their order says nothing.
    expect(new Set(here).size).toBe(replicas + Number(TENANT_PODS));
    expect(memory).toBeLessThan(256);
  }, 900_000);
});
