import { CoreV1Api, PatchStrategy, setHeaderOptions } from "@kubernetes/client-node";
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { ifThere } from "../contract/if-there.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { deployRights } from "./fences.ts";
import { asTheFunction } from "./function-identity.ts";

const patience = { timeout: 60_000, interval: 250 };
const pod = { name: "web", namespace: "kube-system" };
const spec = {
  terminationGracePeriodSeconds: 30,
  containers: [{ name: "web", image: "web:1", imagePullPolicy: "IfNotPresent" }],
};
const mergeAsAdministrator = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
const merge = setHeaderOptions("Content-Type", PatchStrategy.MergePatch, asTheFunction);
const strategic = setHeaderOptions(
  "Content-Type",
  PatchStrategy.StrategicMergePatch,
  asTheFunction,
);
const forbidden = /cannot \w+ resource/;
const byUid = "evicts and deletes no pod but by its UID";
const graceful = "leaves every pod a second of grace or more";

let controlPlane: ControlPlane;
let uid = "";
const core = () => controlPlane.api(CoreV1Api);

beforeAll(async () => {
  const node = { name: "node-1", instanceId: "i-00000000000000001", zone: "eu-west-1a" };
  controlPlane = await startControlPlane({ nodes: [node] });
  await deployRights(controlPlane);
});
afterAll(async () => controlPlane.stop());

beforeEach(async () => {
  await ifThere(core().deleteNamespacedPod({ ...pod, gracePeriodSeconds: 0 }));
  const body = { metadata: pod, spec };
  await vi.waitFor(() => core().createNamespacedPod({ ...pod, body }), patience);
  const running = async () => {
    const { status, metadata } = await core().readNamespacedPod(pod);
    uid = metadata?.uid ?? "";
    return status?.phase;
  };
  await expect.poll(running, patience).toBe("Running");
});

/** Whether the pod is about to end, or has ended: a second of grace may be over. */
const isDeleted = async () => {
  const { items } = await core().listNamespacedPod({ namespace: pod.namespace });
  const found = items.find(({ metadata }) => metadata?.uid === uid);
  return found === undefined || found.metadata?.deletionTimestamp !== undefined;
};
const evict = (deleteOptions: object) =>
  core().createNamespacedPodEviction(
    { ...pod, body: { metadata: pod, deleteOptions } },
    asTheFunction,
  );
const remove = (body: object) => core().deleteNamespacedPod({ ...pod, body }, asTheFunction);

describe("a pod of kube-system", () => {
  it.each([
    [
      "evicted with a second of grace",
      () => evict({ preconditions: { uid }, gracePeriodSeconds: 1 }),
    ],
    ["evicted with its own grace", () => evict({ preconditions: { uid } })],
    [
      "deleted with a second of grace",
      () => remove({ preconditions: { uid }, gracePeriodSeconds: 1 }),
    ],
    ["deleted with its own grace", () => remove({ preconditions: { uid } })],
  ])("may be %s by the function, by its UID", async (_, doing) => {
    await doing();
    expect(await isDeleted()).toBe(true);
  });

  it("may be deleted by the function by its UID when it has ended", async () => {
    const body = { status: { phase: "Failed" } };
    await core().patchNamespacedPodStatus({ ...pod, body }, mergeAsAdministrator);
    await remove({ preconditions: { uid }, gracePeriodSeconds: 1 });
    // The kubelet may have said once more that it runs; then the pod goes with the second.
    await vi.waitFor(
      () => expect(core().readNamespacedPod(pod)).rejects.toMatchObject({ code: 404 }),
      patience,
    );
  });

  it("may be deleted by the function by its UID while it is on no node", async () => {
    const other = { name: "homeless", namespace: pod.namespace };
    const body = { metadata: other, spec: { ...spec, nodeSelector: { none: "such" } } };
    const { metadata } = await core().createNamespacedPod({ ...other, body });
    const options = { preconditions: { uid: metadata?.uid ?? "" }, gracePeriodSeconds: 1 };
    await core().deleteNamespacedPod({ ...other, body: options }, asTheFunction);
    await expect(core().readNamespacedPod(other)).rejects.toMatchObject({ code: 404 });
  });

  it.each<[string, RegExp | string, () => Promise<unknown>]>([
    ["deleted without its UID", byUid, () => remove({ gracePeriodSeconds: 30 })],
    ["deleted by force", byUid, () => remove({ gracePeriodSeconds: 0 })],
    [
      "deleted without grace",
      graceful,
      () => remove({ preconditions: { uid }, gracePeriodSeconds: 0 }),
    ],
    [
      "deleted with a query alone",
      byUid,
      () => core().deleteNamespacedPod({ ...pod, gracePeriodSeconds: 0 }, asTheFunction),
    ],
    [
      "deleted with all others",
      forbidden,
      () => core().deleteCollectionNamespacedPod(pod, asTheFunction),
    ],
    ["evicted without its UID", byUid, () => evict({})],
    [
      "evicted without grace",
      graceful,
      () => evict({ preconditions: { uid }, gracePeriodSeconds: 0 }),
    ],
    [
      "evicted so that its claims outlive it",
      "dependents",
      () => evict({ preconditions: { uid }, propagationPolicy: "Orphan" }),
    ],
    [
      "deleted so that its claims outlive it",
      "dependents",
      () => remove({ preconditions: { uid }, gracePeriodSeconds: 1, propagationPolicy: "Orphan" }),
    ],
    [
      "deleted with more grace than its own",
      "no pod more grace than its own",
      () => remove({ preconditions: { uid }, gracePeriodSeconds: 31 }),
    ],
    [
      "deleted although its owner says skip",
      "eks-node-lifecycle/drain: skip",
      async () => {
        const body = { metadata: { annotations: { "eks-node-lifecycle/drain": "Skip" } } };
        await core().patchNamespacedPod({ ...pod, body }, mergeAsAdministrator);
        return remove({ preconditions: { uid }, gracePeriodSeconds: 1 });
      },
    ],
    ["read", forbidden, () => core().readNamespacedPod(pod, asTheFunction)],
    ["read for its log", forbidden, () => core().readNamespacedPodLog(pod, asTheFunction)],
    [
      "created",
      forbidden,
      () =>
        core().createNamespacedPod(
          { ...pod, body: { metadata: { name: "other" }, spec } },
          asTheFunction,
        ),
    ],
    [
      "replaced",
      forbidden,
      () => core().replaceNamespacedPod({ ...pod, body: { metadata: pod, spec } }, asTheFunction),
    ],
    [
      "patched",
      "changes nodes, and nothing else",
      () =>
        core().patchNamespacedPod({ ...pod, body: { metadata: { labels: { a: "b" } } } }, merge),
    ],
    [
      "patched in its status",
      forbidden,
      () =>
        core().patchNamespacedPodStatus({ ...pod, body: { status: { phase: "Failed" } } }, merge),
    ],
    [
      "resized",
      forbidden,
      () => core().patchNamespacedPodResize({ ...pod, body: { spec: {} } }, strategic),
    ],
    [
      "given a container",
      forbidden,
      () => core().patchNamespacedPodEphemeralcontainers({ ...pod, body: { spec: {} } }, strategic),
    ],
    [
      "bound to a node",
      forbidden,
      () =>
        core().createNamespacedPodBinding(
          { ...pod, body: { target: { name: "node-1" } } },
          asTheFunction,
        ),
    ],
    [
      "entered",
      forbidden,
      () => core().connectPostNamespacedPodExec({ ...pod, command: "sh" }, asTheFunction),
    ],
    ["attached to", forbidden, () => core().connectPostNamespacedPodAttach(pod, asTheFunction)],
    [
      "forwarded from",
      forbidden,
      () => core().connectPostNamespacedPodPortforward(pod, asTheFunction),
    ],
    [
      "called through the API server",
      forbidden,
      () => core().connectGetNamespacedPodProxy(pod, asTheFunction),
    ],
  ])("may not be %s by the function", async (_, why, doing) => {
    await expect(doing()).rejects.toThrow(why);
    expect(await isDeleted()).toBe(false);
  });
});

it("no pod may be created by the function, even with a right to", async () => {
  const group = "rbac.authorization.k8s.io";
  const metadata = { name: "too-much" };
  const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["create"] }];
  await controlPlane.apply(
    { apiVersion: `${group}/v1`, kind: "ClusterRole", metadata, rules } as object,
    {
      apiVersion: `${group}/v1`,
      kind: "ClusterRoleBinding",
      metadata,
      roleRef: { apiGroup: group, kind: "ClusterRole", name: metadata.name },
      subjects: [{ apiGroup: group, kind: "Group", name: "eks-node-lifecycle" }],
    } as object,
  );
  onTestFinished(() =>
    controlPlane.kubectlText("delete", "clusterrolebinding", metadata.name).then(() => undefined),
  );
  const body = { metadata: { name: "other" }, spec };
  const made = () => core().createNamespacedPod({ ...pod, body, dryRun: "All" }, asTheFunction);
  await vi.waitFor(
    () => expect(made()).rejects.toThrow("changes nodes, and nothing else"),
    patience,
  );
});
