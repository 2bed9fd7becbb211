import { CoreV1Api, PolicyV1Api } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { seconds } from "../../lambda/domain/time.ts";
import { mutatingVerbs } from "./audit-log.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { deployment, pod, podDisruptionBudget } from "./manifests.ts";

const nodes = [
  { name: "node-a", instanceId: "i-0aaaaaaaaaaaaaaaa", zone: "eu-west-1a" },
  { name: "node-b", instanceId: "i-0bbbbbbbbbbbbbbbb", zone: "eu-west-1b" },
];
const labelSelector = "app=web";
const patience = { timeout: 30_000, interval: 100 };

describe("a control plane", () => {
  let controlPlane: ControlPlane;
  let core: CoreV1Api;

  beforeAll(async () => {
    controlPlane = await startControlPlane({ nodes, monitorGrace: seconds(6) });
    core = controlPlane.api(CoreV1Api);
  });

  afterAll(async () => controlPlane.stop());

  async function readiness(node: string): Promise<string | undefined> {
    const { status } = await core.readNode({ name: node });
    return status?.conditions?.find(({ type }) => type === "Ready")?.status;
  }

  async function runningPod(name: string): Promise<{ uid: string }> {
    await controlPlane.apply(pod({ name }));
    const phase = async () =>
      (await core.readNamespacedPod({ namespace: "default", name })).status?.phase;
    await expect.poll(phase, patience).toBe("Running");
    const { metadata } = await core.readNamespacedPod({ namespace: "default", name });
    return { uid: metadata?.uid ?? "" };
  }

  const evict = (name: string, uid: string) =>
    core.createNamespacedPodEviction({
      namespace: "default",
      name,
      body: { metadata: { name }, deleteOptions: { preconditions: { uid } } },
    });

  it("has a ready node for each instance, with its provider ID", async () => {
    const { items } = await core.listNode();

    const ids = items.map(({ spec }) => spec?.providerID);
    expect(ids).toEqual(
      expect.arrayContaining([
        "aws:///eu-west-1a/i-0aaaaaaaaaaaaaaaa",
        "aws:///eu-west-1b/i-0bbbbbbbbbbbbbbbb",
      ]),
    );
    await expect.poll(() => readiness("node-a"), patience).toBe("True");
  });

  it("runs a Deployment, and replaces its evicted pods", async () => {
    const running = async () => {
      const { items } = await core.listNamespacedPod({ namespace: "default", labelSelector });
      const up = items.filter(({ status }) => status?.phase === "Running");
      return up.map(({ metadata }) => metadata?.uid);
    };
    await controlPlane.apply(deployment({ name: "web", replicas: 2 }));
    await expect.poll(running, patience).toHaveLength(2);
    const first = await running();

    await core.deleteCollectionNamespacedPod({ namespace: "default", labelSelector });

    const replaced = async () => (await running()).filter((uid) => !first.includes(uid));
    await expect.poll(replaced, patience).toHaveLength(2);
  });

  it("records in its audit log who has evicted which pod, and no other eviction", async () => {
    const { uid } = await runningPod("audited");

    await evict("audited", uid);

    const written = await controlPlane.audit({
      userAgent: "kubernetes-client-javascript/",
      verbs: mutatingVerbs,
    });
    const evictions = written.filter(
      ({ subresource, name }) => subresource === "eviction" && name === "audited",
    );
    expect(evictions).toEqual([
      expect.objectContaining({
        verb: "create",
        resource: "pods",
        namespace: "default",
        user: "admin",
        code: 201,
        requestObject: expect.objectContaining({ deleteOptions: { preconditions: { uid } } }),
      }),
    ]);
  });

  it("refuses an eviction that a budget does not allow", async () => {
    const policy = controlPlane.api(PolicyV1Api);
    const allows = { minAvailable: 1 };
    const { uid } = await runningPod("guarded");
    await controlPlane.apply(podDisruptionBudget({ name: "guard", app: "guarded", allows }));

    const observed = async () => {
      const namespaced = { namespace: "default", name: "guard" };
      const { status } = await policy.readNamespacedPodDisruptionBudget(namespaced);
      return status?.currentHealthy;
    };
    await expect.poll(observed, patience).toBe(1);

    const refusal = evict("guarded", uid);

    await expect(refusal).rejects.toMatchObject({
      code: 429,
      body: expect.stringContaining("The disruption budget guard needs 1 healthy pods"),
    });
  });

  it("lets an instance join later", async () => {
    await controlPlane.nodeUp({
      name: "late",
      instanceId: "i-0cccccccccccccccc",
      zone: "eu-west-1c",
    });

    await expect.poll(() => readiness("late"), patience).toBe("True");
  });

  it("marks a silenced node as not ready, and as ready when it reports again", async () => {
    await controlPlane.pauseKubelet("node-b");
    await expect.poll(() => readiness("node-b"), patience).toBe("Unknown");

    await controlPlane.resumeKubelet("node-b");

    await expect.poll(() => readiness("node-b"), patience).toBe("True");
  });

  it("has another boot id at a node whose machine was rebooted", async () => {
    const bootId = async () => {
      const { status } = await controlPlane.api(CoreV1Api).readNode({ name: "node-a" });
      return status?.nodeInfo?.bootID;
    };
    const before = await bootId();
    await controlPlane.rebootNode("node-a");

    await expect.poll(bootId, patience).not.toBe(before);
    await expect.poll(() => readiness("node-a"), patience).toBe("True");
    expect(before).toMatch(/^[0-9a-f-]{36}$/);
  });

  it("answers kubectl in JSON", async () => {
    const answer = await controlPlane.kubectl("get", "namespace", "default");

    expect(answer).toMatchObject({ kind: "Namespace", metadata: { name: "default" } });
  });
});
