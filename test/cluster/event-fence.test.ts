import {
  CoreV1Api,
  EventsV1Api,
  type EventsV1Event,
  PatchStrategy,
  RbacAuthorizationV1Api,
  setHeaderOptions,
  V1MicroTime,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { accessManifests } from "../../cli/manifests/access-manifests.ts";
import { rightsFor } from "../../lambda/rights/rights.ts";
import { readRights } from "../../lambda/rights/rights-schema.ts";
import { ifThere } from "../contract/if-there.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { limits } from "./fences.ts";
import { asTheFunction } from "./function-identity.ts";

const patience = { timeout: 60_000, interval: 250 };
const merge = setHeaderOptions("Content-Type", PatchStrategy.MergePatch, asTheFunction);
const asAdministrator = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
const namespace = "default";
const ours = "eks-node-lifecycle.ours";
const theirs = "node-1.theirs";

let controlPlane: ControlPlane;
const events = () => controlPlane.api(EventsV1Api);

const event = (name: string, reportingController: string): EventsV1Event => ({
  metadata: { name, namespace },
  eventTime: new V1MicroTime(),
  reportingController,
  reportingInstance: "x",
  action: "Drain",
  reason: "Drained",
  type: "Normal",
  regarding: { apiVersion: "v1", kind: "Node", name: "node-1", uid: "node-1" },
});

const record = (name: string, controller: string, query: { readonly dryRun?: "All" } = {}) =>
  events().createNamespacedEvent(
    { namespace, body: event(name, controller), ...query },
    asTheFunction,
  );

const finalizers = ["example.com/held"];
const owner = { apiVersion: "v1", kind: "Namespace", name: namespace, uid: "x" };
const ownerReferences = [{ ...owner, blockOwnerDeletion: true }];
const later: readonly (readonly [what: string, metadata: object])[] = [
  ["given a finalizer later", { finalizers }],
  ["given an owner later", { ownerReferences }],
];
const recordWith = (name: string, metadata: object) => {
  const body = event(name, "eks-node-lifecycle");
  const whole = { ...body, metadata: { ...body.metadata, ...metadata } };
  return events().createNamespacedEvent({ namespace, body: whole }, asTheFunction);
};

const series = {
  series: { count: 2, lastObservedTime: new Date().toISOString().replace("Z", "000Z") },
};
const repeat = (name: string) =>
  events().patchNamespacedEvent({ name, namespace, body: series }, merge);

const apply = async (choice: "off" | "on") => {
  const rest = {
    force: "never",
    awsAuth: "none",
    makeRoom: "off",
    removeNode: "never",
    apiPriority: "shared",
    upgrades: "off",
    repairs: "off",
    secondOpinion: "off",
  } as const;
  const rights = rightsFor({ ...limits, ...rest, events: choice });
  const { wanted } = readRights(accessManifests(), rights);
  await controlPlane.apply(...wanted.map(({ body }) => JSON.stringify(body)));
};

beforeAll(async () => {
  controlPlane = await startControlPlane({ nodes: [] });
});
afterAll(async () => controlPlane.stop());

describe("where Events are off", () => {
  beforeAll(async () => {
    await apply("off");
    const name = "eks-node-lifecycle-events"; // from the tests below, if they come first
    await ifThere(controlPlane.api(RbacAuthorizationV1Api).deleteClusterRoleBinding({ name }));
  });

  it("no Event may be recorded where Events are off", async () => {
    const tried = () => record("eks-node-lifecycle.off", "eks-node-lifecycle", { dryRun: "All" });
    await vi.waitFor(() => expect(tried()).rejects.toThrow("cannot create resource"), patience);
  });
});

describe("where Events are on", () => {
  beforeAll(async () => {
    await apply("on");
    await events().createNamespacedEvent({ namespace, body: event(theirs, "kubelet") });
    const tried = () => record("eks-node-lifecycle.try", "scheduler", { dryRun: "All" });
    await vi.waitFor(() => expect(tried()).rejects.toThrow("in the name of others"), patience);
  });

  it("the function records its own, and makes a series of it", async () => {
    await record(ours, "eks-node-lifecycle");
    expect((await repeat(ours)).series).toMatchObject({ count: 2 });
  });

  it("the function makes a series of an Event of its own that somebody else holds by a finalizer", async () => {
    const name = "eks-node-lifecycle.held-by-others";
    await record(name, "eks-node-lifecycle");
    const body = { metadata: { finalizers } };
    await events().patchNamespacedEvent({ name, namespace, body }, asAdministrator);
    expect((await repeat(name)).metadata?.finalizers).toEqual(finalizers);
    const free = { metadata: { finalizers: null } };
    await events().patchNamespacedEvent({ name, namespace, body: free }, asAdministrator);
  });

  it.each<readonly [string, RegExp | string, () => Promise<unknown>]>([
    [
      "recorded in the name of the scheduler",
      "in the name of others",
      () => record("eks-node-lifecycle.forged", "default-scheduler"),
    ],
    [
      "recorded under a name as others have it",
      "in the name of others",
      () => record("node-1.forged", "eks-node-lifecycle"),
    ],
    [
      "recorded with a finalizer, without which its namespace cannot be removed",
      "holds nothing by an Event",
      () => recordWith("eks-node-lifecycle.held", { finalizers }),
    ],
    [
      "recorded as the dependent of what then cannot be removed",
      "holds nothing by an Event",
      () => recordWith("eks-node-lifecycle.owned", { ownerReferences }),
    ],
    ...later.map(
      ([what, metadata]) =>
        [
          what,
          "holds nothing by an Event",
          async () => {
            const name = `eks-node-lifecycle.${what.replaceAll(" ", "-")}`;
            await record(name, "eks-node-lifecycle");
            return events().patchNamespacedEvent({ name, namespace, body: { metadata } }, merge);
          },
        ] as const,
    ),
    [
      "changed although the kubelet has recorded it",
      /Event of others|name of others/,
      () => repeat(theirs),
    ],
    [
      "changed by the older API",
      "cannot patch resource",
      () =>
        controlPlane
          .api(CoreV1Api)
          .patchNamespacedEvent({ name: theirs, namespace, body: { message: "x" } }, merge),
    ],
    [
      "read",
      "cannot list resource",
      () => events().listNamespacedEvent({ namespace }, asTheFunction),
    ],
    [
      "removed",
      "cannot delete resource",
      () => events().deleteNamespacedEvent({ name: theirs, namespace }, asTheFunction),
    ],
  ])("no Event may be %s", async (_, why, doing) => {
    await expect(doing()).rejects.toThrow(why);
  });
});
