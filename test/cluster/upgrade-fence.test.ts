import {
  CoreV1Api,
  EventsV1Api,
  PatchStrategy,
  setHeaderOptions,
  V1MicroTime,
  VersionApi,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  scaleDownDisabledAnnotation as scaleDownAnnotation,
  upgradeAnnotations,
} from "../../lambda/upgrade/node-marks.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { deployRights } from "./fences.ts";
import { asTheFunction, asTheRepair, asTheUpgrade, place } from "./function-identity.ts";

const patience = { timeout: 60_000, interval: 250 };
const patching = (who: typeof asTheUpgrade) =>
  setHeaderOptions("Content-Type", PatchStrategy.MergePatch, who);
const byUpgrade = patching(asTheUpgrade);
const byOthers = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
const { kept: own } = upgradeAnnotations;
const name = "node-1";
const namespace = "default";

let controlPlane: ControlPlane;
const core = () => controlPlane.api(CoreV1Api);
type Annotations = Readonly<Record<string, string | null>>;

const annotate = (writer: typeof byUpgrade, annotations: Annotations, query: object = {}) =>
  core().patchNode({ name, body: { metadata: { annotations } }, ...query }, writer);
const held: Annotations = { [scaleDownAnnotation]: "true", [own]: "true" };
const released: Annotations = { [scaleDownAnnotation]: null, [own]: null };

const event = (who: typeof asTheUpgrade, its: string, reportingController: string) =>
  controlPlane.api(EventsV1Api).createNamespacedEvent(
    {
      namespace,
      body: {
        metadata: { name: its, namespace },
        eventTime: new V1MicroTime(),
        reportingController,
        reportingInstance: "x",
        action: "Drain",
        reason: "Drained",
        type: "Normal",
        regarding: { apiVersion: "v1", kind: "Node", name, uid: name },
      },
    },
    who,
  );

beforeAll(async () => {
  const node = { name, instanceId: "i-00000000000000001", zone: "eu-west-1a" };
  controlPlane = await startControlPlane({ nodes: [node] });
  await deployRights(controlPlane);
  const tried = () => annotate(byUpgrade, { "example.com/other": "x" }, { dryRun: "All" });
  await vi.waitFor(() => expect(tried()).rejects.toThrow("changes no annotation"), patience);
  // Each fence comes into force by itself.
  const forged = () => event(asTheUpgrade, "node-1.tried", "kubelet");
  await vi.waitFor(() => expect(forged()).rejects.toThrow("in the name of others"), patience);
});
afterAll(async () => controlPlane.stop());

describe("the upgrade function", () => {
  beforeEach(async () => {
    await annotate(byOthers, released);
  });

  const kept = async () =>
    (await core().readNode({ name })).metadata?.annotations?.[scaleDownAnnotation];

  it("keeps Cluster Autoscaler away from a node, and takes that back", async () => {
    await annotate(byUpgrade, held);
    expect(await kept()).toBe("true");
    await annotate(byUpgrade, released);
    expect(await kept()).toBeUndefined();
  });

  it("takes its own annotation off a node from which somebody has taken Cluster Autoscaler's", async () => {
    await annotate(byUpgrade, held);
    await annotate(byOthers, { [scaleDownAnnotation]: null });
    await annotate(byUpgrade, released);
    expect((await core().readNode({ name })).metadata?.annotations).not.toHaveProperty([own]);
  });

  it("may not annotate a node for Cluster Autoscaler without its own word", async () => {
    const doing = annotate(byUpgrade, { [scaleDownAnnotation]: "true" });
    await expect(doing).rejects.toThrow("by its own word");
  });

  it("leaves what others say to Cluster Autoscaler", async () => {
    await annotate(byOthers, { [scaleDownAnnotation]: "true" });
    await expect(annotate(byUpgrade, released)).rejects.toThrow("by its own word");
    await expect(annotate(byUpgrade, { ...held, [scaleDownAnnotation]: "false" })).rejects.toThrow(
      "by its own word",
    );
    await expect(annotate(byUpgrade, { [own]: "true" })).rejects.toThrow("by its own word");
    expect(await kept()).toBe("true");
  });
});

describe.each([
  ["upgrade", asTheUpgrade],
  ["repair", asTheRepair],
] as const)("the %s function", (its, who) => {
  const by = patching(who);

  it("marks a node, and takes that back", async () => {
    const mark = { "eks-node-lifecycle/reason": "upgraded" };
    await annotate(by, mark);
    expect((await core().readNode({ name })).metadata?.annotations).toMatchObject(mark);
    await annotate(by, { "eks-node-lifecycle/reason": null });
  });

  it("cordons a node, and reads the version of the API server", async () => {
    const cordon = (unschedulable: boolean, cordoned: string | null) => {
      const annotations = { "eks-node-lifecycle/cordoned": cordoned };
      return core().patchNode(
        { name, body: { metadata: { annotations }, spec: { unschedulable } } },
        by,
      );
    };
    await cordon(true, "true");
    await cordon(false, null);
    await expect(controlPlane.api(VersionApi).getCode(who)).resolves.toHaveProperty("gitVersion");
  });

  it("records Events in its own name alone", async () => {
    await event(who, `eks-node-lifecycle.${its}`, "eks-node-lifecycle");
    await expect(event(who, "node-1.forged", "kubelet")).rejects.toThrow("in the name of others");
  });

  it.each<[string, string, () => Promise<unknown>]>([
    [
      "change a label of a node",
      "changes no label",
      () => core().patchNode({ name, body: { metadata: { labels: { a: "b" } } } }, by),
    ],
    [
      "taint a node",
      "changes no taint",
      () =>
        core().patchNode(
          { name, body: { spec: { taints: [{ key: "a", effect: "NoSchedule" }] } } },
          by,
        ),
    ],
    ["remove a node", "cannot delete resource", () => core().deleteNode({ name }, who)],
    [
      "evict a pod without its UID",
      "by its UID",
      () =>
        core().createNamespacedPodEviction(
          { name: "web", namespace, body: { metadata: { name: "web" } } },
          who,
        ),
    ],
    ["read aws-auth", "cannot get resource", () => core().readNamespacedConfigMap(place, who)],
    ["read Secrets", "cannot list resource", () => core().listNamespacedSecret({ namespace }, who)],
  ])("may not %s", async (_, why, doing) => {
    await expect(doing()).rejects.toThrow(why);
  });
});

it.each([
  ["node", asTheFunction],
  ["repair", asTheRepair],
] as const)("the %s function may not keep Cluster Autoscaler away from a node", async (_, who) => {
  // Another test may have left the node with what others say.
  await annotate(byOthers, released);
  await expect(annotate(patching(who), held)).rejects.toThrow("changes no annotation");
});
