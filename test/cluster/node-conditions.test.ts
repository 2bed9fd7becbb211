import {
  CoreV1Api,
  PatchStrategy,
  setHeaderOptions,
  type V1ManagedFieldsEntry,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { mutation, startWebhook } from "./admission-webhook.ts";
import { oldestRecords, tenLabels, tiedRecords } from "./crowded-records.ts";
import { fenceIn } from "./fences.ts";
import { asTheFunction, asTheRepair, asTheUpgrade } from "./function-identity.ts";
import { pod } from "./manifests.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";

const [drained, other, crowded] = ["node-a", "node-b", "node-c"] as const;
const nodes = [drained, other, crowded].map((name, index) => ({
  name,
  instanceId: `i-0000000000000000${index + 1}`,
  zone: "eu-west-1a",
}));
const patience = { timeout: 60_000, interval: 200 };
const merge = (who: typeof asTheFunction) =>
  setHeaderOptions("Content-Type", PatchStrategy.MergePatch, who);
const functions = [
  ["node", merge(asTheFunction)],
  ["upgrade", merge(asTheUpgrade)],
  ["repair", merge(asTheRepair)],
] as const;
const [[, byNode]] = functions;

const own = {
  type: "Drained",
  status: "True",
  reason: "DrainCompleted",
  message: "eks-node-lifecycle: no pod holds the node any more",
  lastTransitionTime: "2026-11-20T10:00:00Z",
};
const lifecycle = /^(?:DrainInProgress|Drained|Maintenance)/;

describe("the lifecycle conditions of nodes on a real control plane", () => {
  let world: RealWorld;
  const core = () => world.controlPlane.api(CoreV1Api);
  const conditionsOf = async (name: string) =>
    (await core().readNode({ name })).status?.conditions ?? [];
  const typesOf = async (name: string) =>
    (await conditionsOf(name)).map(({ type }) => type).filter((type) => lifecycle.test(type));

  beforeAll(async () => {
    const settings = { DRAIN_SETTLE_SECONDS: "1", DRAIN_CONDITIONS: "on" };
    world = await startRealWorld({ nodes, group: "workers", settings });
    await fenceIn(world.controlPlane, { conditions: "on" });
  }, 240_000);
  afterAll(() => world?.stop());

  it("follow a drain, beside what the kubelet reports", async () => {
    const annotations = { "hollow/term-seconds": "8" };
    await world.controlPlane.apply(pod({ name: "slow", annotations, spec: { nodeName: drained } }));
    await vi.waitFor(async () => {
      const { status } = await core().readNamespacedPod({ name: "slow", namespace: "default" });
      expect(status?.phase).toBe("Running");
    }, patience);
    const before = await conditionsOf(drained);
    world.terminate(nodes[0]?.instanceId ?? "");

    await vi.waitFor(
      async () => expect(await typesOf(drained)).toEqual(["DrainInProgress"]),
      patience,
    );
    await vi.waitFor(async () => expect(await typesOf(drained)).toEqual(["Drained"]), patience);
    const types = before.map(({ type }) => type);
    expect((await conditionsOf(drained)).map(({ type }) => type)).toEqual([...types, "Drained"]);
  }, 180_000);

  /** What the answer to a patch of the other node's status is; nothing is changed. */
  const tried = async (who: typeof byNode, body: (conditions: readonly object[]) => object) => {
    const conditions = await conditionsOf(other);
    return core().patchNodeStatus({ name: other, body: body(conditions), dryRun: "All" }, who);
  };

  it.each(functions)("may be written by the %s function", async (_, who) => {
    // A kubelet may write its status between the read and the patch.
    await vi.waitFor(async () => {
      const { status } = await tried(who, (all) => ({ status: { conditions: [...all, own] } }));
      expect(status?.conditions?.map(({ type }) => type)).toContain("Drained");
    }, patience);
  });

  const status = (fields: object) => () => ({ status: fields });
  it.each<[string, (conditions: readonly object[]) => object]>([
    ["capacity", status({ capacity: { "example.com/gpu": "1" } })],
    ["allocatable", status({ allocatable: { pods: "1" } })],
    ["phase", status({ phase: "Terminated" })],
    ["addresses", status({ addresses: [{ type: "InternalIP", address: "10.9.9.9" }] })],
    ["daemonEndpoints", status({ daemonEndpoints: { kubeletEndpoint: { Port: 1 } } })],
    ["nodeInfo", status({ nodeInfo: { kubeletVersion: "v1.99.0" } })],
    ["images", status({ images: [{ names: ["evil"], sizeBytes: 1 }] })],
    ["volumesInUse", status({ volumesInUse: ["kubernetes.io/csi/x"] })],
    ["volumesAttached", status({ volumesAttached: [{ name: "x", devicePath: "y" }] })],
    ["config", status({ config: { error: "x" } })],
    ["runtimeHandlers", status({ runtimeHandlers: [{ name: "x" }] })],
    ["features", status({ features: { supplementalGroupsPolicy: true } })],
    ["a condition of the kubelet", (all) => ({ status: { conditions: all.slice(1) } })],
    [
      "readiness",
      (all) => ({
        status: {
          conditions: all.map((one) =>
            "type" in one && one.type === "Ready" ? { ...one, status: "False" } : one,
          ),
        },
      }),
    ],
    ["all conditions", status({ conditions: [own] })],
    [
      "a condition of another type",
      (all) => ({ status: { conditions: [...all, { ...own, type: "MaintenanceInProgress" }] } }),
    ],
    ["two of one type", (all) => ({ status: { conditions: [...all, own, { ...own }] } })],
    [
      "a status that is not True",
      (all) => ({ status: { conditions: [...all, { ...own, status: "Unknown" }] } }),
    ],
    [
      "words of others",
      (all) => ({ status: { conditions: [...all, { ...own, message: "kubectl drain" }] } }),
    ],
    [
      "a long message",
      (all) => ({
        status: { conditions: [...all, { ...own, message: `${own.message}${"x".repeat(600)}` }] },
      }),
    ],
    [
      "a heartbeat",
      (all) => ({
        status: { conditions: [...all, { ...own, lastHeartbeatTime: "2026-11-20T10:00:00Z" }] },
      }),
    ],
    [
      "a label beside it",
      (all) => ({ metadata: { labels: { a: "b" } }, status: { conditions: [...all, own] } }),
    ],
    [
      "an annotation beside it",
      (all) => ({ metadata: { annotations: { a: "b" } }, status: { conditions: [...all, own] } }),
    ],
    [
      "a finalizer beside it",
      (all) => ({ metadata: { finalizers: ["a.b/c"] }, status: { conditions: [...all, own] } }),
    ],
  ])("are all that the function may change of a status: not %s", async (_, body) => {
    await expect(tried(byNode, body)).rejects.toThrow(/eks-node-lifecycle (?:changes|sets|writes)/);
  });

  /** Makes a node with these records of who manages its fields. */
  const withRecords = async (name: string, managedFields: readonly object[]) => {
    const labels = { ...tenLabels, at: name };
    await core().createNode({ body: { metadata: { name, labels } } });
    const type = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
    await core().patchNode({ name, body: { metadata: { managedFields } } }, type);
  };

  it("are set where the API server forgets what it has put together itself, behind a name of the same second", async () => {
    const name = "of-one-second";
    await withRecords(name, tiedRecords("v1"));

    await stated(name);

    expect(await typesOf(name)).toEqual(["Drained"]);
  });

  const stated = (name: string, query: object = {}) => {
    const body = { status: { conditions: [own] } };
    const type = setHeaderOptions("Content-Type", PatchStrategy.StrategicMergePatch, asTheFunction);
    return core().patchNodeStatus({ name, body, ...query }, type);
  };

  // The API server heeds no record in a patch of a status: a webhook writes what one that heeds it would.
  it.each<[string, string, object]>([
    ["label", "f:labels/f:claimed", {}],
    ["finalizer", "f:finalizers", { 'v:"example.com/claimed"': {} }],
  ])("are not set with a record of the oldest that claims a %s", async (what, path, value) => {
    const name = `claims-a-${what}`;
    await withRecords(name, oldestRecords("v1"));
    const at = `/metadata/managedFields/0/fieldsV1/f:metadata/${path}`;
    const webhook = await startWebhook(async () => ({ patch: [{ op: "add", path: at, value }] }));
    const matter = {
      name,
      apiGroup: "",
      operation: "UPDATE" as const,
      resource: "nodes/status",
      scope: { objectSelector: { matchLabels: { at: name } } },
    };
    await world.controlPlane.apply(mutation(webhook, matter));
    const trial = () => stated(name, { dryRun: "All" });
    await vi.waitFor(() => expect(trial()).rejects.toThrow("no record of who manages"), patience);
    webhook.close();
  });

  it.each([
    ["take away", (all: readonly V1ManagedFieldsEntry[]) => all.slice(1)],
    ["forge", (all: readonly V1ManagedFieldsEntry[]) => [...all, { ...all[0], manager: "flux" }]],
  ])("%s no record of who manages the fields of a node", async (_, change) => {
    const { metadata: { managedFields = [] } = {} } = await core().readNode({ name: other });
    const written = tried(byNode, (all) => ({
      metadata: { managedFields: change(managedFields) },
      status: { conditions: [...all, own] },
    }));
    const kept = written.then(({ metadata }) =>
      metadata?.managedFields?.filter(({ manager }) => manager !== "eks-node-lifecycle"),
    );
    // The API server itself may heed no record in a status.
    const answer = await kept.catch((cause: unknown) => String(cause));
    if (typeof answer === "string") expect(answer).toContain("no record of who manages");
    else expect(answer).toEqual(managedFields);
  });

  // In one second the API server takes the oldest by name, and loses `ancient-changes` behind another name.
  const agents = Array.from({ length: 13 }, (_, index) => `Watcher${index}`);
  const records = async () =>
    (await core().readNode({ name: crowded })).metadata?.managedFields ?? [];
  const say = (
    condition: object,
    { by = {}, ...named }: { by?: object; fieldManager?: string },
  ) => {
    const body = { status: { conditions: [condition] } };
    const type = setHeaderOptions("Content-Type", PatchStrategy.StrategicMergePatch, by);
    return core().patchNodeStatus({ name: crowded, body, ...named }, type);
  };
  let crowds = 0;
  /** Has more than ten agents write a condition of a node: the API server keeps ten records of them. */
  const crowd = async () => {
    // A write that changes nothing leaves no record.
    crowds += 1;
    for (const type of agents)
      await say({ ...own, type, message: `${crowds}` }, { fieldManager: type.toLowerCase() });
    expect(await records()).toHaveLength(10);
  };

  it("are set and taken back where ten have updated the node, of which the API server itself forgets the oldest", async () => {
    await crowd();

    await say(own, { by: asTheFunction });
    expect(await typesOf(crowded)).toEqual(["Drained"]);
    const after = await records();
    // Which ones it takes for the oldest of a second, it decides by their names.
    expect(after.map(({ manager }) => manager)).toContain("ancient-changes");
    for (const agent of agents) expect(JSON.stringify(after)).toContain(agent);

    await say({ type: own.type, $patch: "delete" }, { by: asTheFunction });
    expect(await typesOf(crowded)).toEqual([]);
  });

  it.each([
    ["take away", (all: readonly V1ManagedFieldsEntry[]) => all.slice(1)],
    ["rename", (all: readonly V1ManagedFieldsEntry[]) => [{ ...all[0], manager: "flux" }]],
  ])("%s no record of such a node", async (_, change) => {
    await crowd();
    // A kubelet may write its status between the read and the patch.
    await vi.waitFor(async () => {
      const managedFields = change(await records());
      const conditions = [...(await conditionsOf(crowded)), own];
      const body = { metadata: { managedFields }, status: { conditions } };
      const written = core().patchNodeStatus({ name: crowded, body, dryRun: "All" }, byNode);
      const answer = await written.then(JSON.stringify, String);
      expect(answer).toMatch(/no record of who manages|"manager":"ancient-changes"/);
      expect(answer).not.toContain('"manager":"flux"');
    }, patience);
  });

  it("of others are not the function's to change or to take back", async () => {
    const theirs = { ...own, type: "DrainInProgress", reason: "Theirs", message: "kubectl drain" };
    const byOthers = setHeaderOptions("Content-Type", PatchStrategy.StrategicMergePatch);
    await core().patchNodeStatus(
      { name: other, body: { status: { conditions: [theirs] } } },
      byOthers,
    );
    const changed = tried(byNode, (all) => ({
      status: {
        conditions: all.map((one) =>
          "type" in one && one.type === theirs.type ? { ...own, type: theirs.type } : one,
        ),
      },
    }));
    await expect(changed).rejects.toThrow("takes no other back");
    const removed = tried(byNode, (all) => ({
      status: { conditions: all.filter((one) => !("type" in one && one.type === theirs.type)) },
    }));
    await expect(removed).rejects.toThrow("takes no other back");
  });
});
