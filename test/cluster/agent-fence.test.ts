import { AppsV1Api, CoreV1Api } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { deployRights } from "./fences.ts";
import { asTheFunction, asTheRepair, asTheUpgrade } from "./function-identity.ts";
import { daemonSet, replicaSet } from "./manifests.ts";

const patience = { timeout: 60_000, interval: 250 };
const agent = { kind: "DaemonSet", name: "eks-node-monitoring-agent", namespace: "kube-system" };
const other = { ...agent, name: "eks-node-monitoring-agent-2" };
const tenants = { ...agent, namespace: "default" };
const replicas = { ...agent, kind: "ReplicaSet" };
const onlyAgents = "but its repair function one of the node monitoring agent";
const noRight = /cannot delete resource/;

let controlPlane: ControlPlane;
const core = () => controlPlane.api(CoreV1Api);

/** The pod of a DaemonSet or a ReplicaSet on the one node. */
const podOf = ({ kind, name, namespace }: typeof agent) =>
  vi.waitFor(async () => {
    const { items } = await core().listNamespacedPod({ namespace });
    const found = items.find(
      ({ metadata, status }) =>
        metadata?.ownerReferences?.[0]?.name === name &&
        metadata.ownerReferences[0].kind === kind &&
        metadata.deletionTimestamp === undefined &&
        status?.phase === "Running",
    );
    expect(found).toBeDefined();
    const { name: pod = "", uid = "" } = found?.metadata ?? {};
    return { name: pod, namespace, uid };
  }, patience);

async function remove(set: typeof agent, as: typeof asTheRepair, options: object = {}) {
  const { uid, ...pod } = await podOf(set);
  const body = { preconditions: { uid }, ...options };
  await core().deleteNamespacedPod({ ...pod, body }, as);
  return uid;
}

beforeAll(async () => {
  const node = { name: "node-1", instanceId: "i-00000000000000001", zone: "eu-west-1a" };
  controlPlane = await startControlPlane({ nodes: [node] });
  await controlPlane.apply(
    ...[agent, other, tenants].map(({ name, namespace }) => daemonSet({ name, namespace })),
    replicaSet({ name: replicas.name, namespace: replicas.namespace }),
  );
  await deployRights(controlPlane, { force: "never" });
});
afterAll(async () => controlPlane.stop());

describe("where no pod may be deleted", () => {
  it("the repair function restarts the node monitoring agent, by the UID of its pod, and a new one comes", async () => {
    const before = await remove(agent, asTheRepair, { gracePeriodSeconds: 1 });
    await vi.waitFor(async () => expect((await podOf(agent)).uid).not.toBe(before), patience);
  });

  it.each([
    ["without a UID", { preconditions: {} }, "no pod but by its UID"],
    ["without grace", { gracePeriodSeconds: 0 }, "a second of grace or more"],
    ["with its dependents kept", { propagationPolicy: "Orphan" }, "dependents"],
  ])("it deletes none of its pods %s", async (_, options, why) => {
    await expect(remove(agent, asTheRepair, options)).rejects.toThrow(why);
  });

  it("it deletes no pod of another DaemonSet of kube-system", async () => {
    await expect(remove(other, asTheRepair)).rejects.toThrow(onlyAgents);
  });

  it("it deletes no pod of a ReplicaSet of that name", async () => {
    await expect(remove(replicas, asTheRepair)).rejects.toThrow(onlyAgents);
  });

  it("it deletes no pod that names the agent's DaemonSet as an owner, but not as its controller", async () => {
    const apps = controlPlane.api(AppsV1Api);
    const { uid: ownerUid = "" } = (await apps.readNamespacedDaemonSet(agent)).metadata ?? {};
    const owner = { apiVersion: "apps/v1", kind: agent.kind, name: agent.name, uid: ownerUid };
    const spec = { nodeName: "node-1", containers: [{ name: "a", image: "a:1" }] };
    const { namespace } = agent;
    const metadata = { name: "like", ownerReferences: [owner] };
    const made = await core().createNamespacedPod({ namespace, body: { metadata, spec } });
    const body = { preconditions: { uid: made.metadata?.uid ?? "" } };
    await expect(
      core().deleteNamespacedPod({ name: "like", namespace, body }, asTheRepair),
    ).rejects.toThrow(onlyAgents);
  });

  it("it deletes no pod of a DaemonSet of that name in another namespace", async () => {
    await expect(remove(tenants, asTheRepair)).rejects.toThrow(noRight);
  });

  it.each([
    ["node", asTheFunction],
    ["upgrade", asTheUpgrade],
  ])("the %s function does not restart it", async (_, as) => {
    await expect(remove(agent, as)).rejects.toThrow(noRight);
  });
});
