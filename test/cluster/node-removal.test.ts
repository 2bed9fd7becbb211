import {
  CoreV1Api,
  PatchStrategy,
  RbacAuthorizationV1Api,
  setHeaderOptions,
  type V1Taint,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { accessManifests } from "../../cli/manifests/access-manifests.ts";
import { outOfServiceAnnotation, outOfServiceTaint } from "../../lambda/interruption/left-node.ts";
import { rightsFor } from "../../lambda/rights/rights.ts";
import { readRights } from "../../lambda/rights/rights-schema.ts";
import { ifThere, refusedWith } from "../contract/if-there.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { limits } from "./fences.ts";
import { asTheFunction } from "./function-identity.ts";

const patience = { timeout: 60_000, interval: 250 };
const merge = setHeaderOptions("Content-Type", PatchStrategy.MergePatch, asTheFunction);
const asAdministrator = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
const ready = "node-1";
const dead = "node-2";
const { timeAdded: _, ...taint } = outOfServiceTaint;
const ours = { [outOfServiceAnnotation]: "true" };

let controlPlane: ControlPlane;
const core = () => controlPlane.api(CoreV1Api);
const uidOf = async (name: string) => (await core().readNode({ name })).metadata?.uid ?? "";
const taintsOf = async (name: string) => (await core().readNode({ name })).spec?.taints ?? [];
const remove = (name: string, body: object) => core().deleteNode({ name, body }, asTheFunction);

interface Tainting {
  readonly annotations?: object;
  readonly taints: readonly V1Taint[];
  readonly dryRun?: "All";
}

/** Writes taints beside those that the node has; again if somebody, such as the node controller, has written meanwhile. */
async function taintAs(writer: typeof merge, name: string, tainting: Tainting): Promise<void> {
  const { annotations = {}, taints, ...query } = tainting;
  const { metadata: { resourceVersion } = {}, spec } = await core().readNode({ name });
  const others = (spec?.taints ?? []).filter(({ key }) => key !== taint.key);
  const body = {
    metadata: { annotations, resourceVersion },
    spec: { taints: [...others, ...taints] },
  };
  try {
    await core().patchNode({ name, body, ...query }, writer);
  } catch (cause) {
    if (refusedWith(cause) !== 409) throw cause;
    await taintAs(writer, name, tainting);
  }
}

/** Lets the function claim to have said that a node is out of service. */
const claim = (name: string, query: { readonly dryRun?: "All" } = {}) =>
  core().patchNode({ name, body: { metadata: { annotations: ours } }, ...query }, merge);

/** Waits until the fence is in force: until then, the function may do all that its role allows. */
const untilFenced = () =>
  vi.waitFor(
    () => expect(claim(dead, { dryRun: "All" })).rejects.toThrow("its own word"),
    patience,
  );

/** Applies the rights of a deployment, and waits until its fence is in force. */
async function deploy(
  removeNode: "never" | "terminated",
  outOfService: "never" | "taint",
): Promise<void> {
  const choice = {
    force: "never",
    awsAuth: "none",
    apiPriority: "shared",
    events: "off",
    makeRoom: "off",
    upgrades: "off",
    repairs: "off",
    secondOpinion: "off",
  } as const;
  const rights = rightsFor({ ...limits, ...choice, removeNode, outOfService });
  const { wanted } = readRights(accessManifests(), rights);
  await controlPlane.apply(...wanted.map(({ body }) => JSON.stringify(body)));
}

/** Waits until the function may taint a dead node, or may not. */
async function untilTaints(may: boolean): Promise<void> {
  const tried = () => taintAs(merge, dead, { annotations: ours, taints: [taint], dryRun: "All" });
  await vi.waitFor(async () => {
    if (may) await tried();
    else await expect(tried()).rejects.toThrow("changes no taint");
  }, patience);
}

/** Creates a node without a kubelet; an earlier test may have left it there. */
const createUnlessThere = (name: string) =>
  core()
    .createNode({ body: { metadata: { name } } })
    .catch((cause: unknown) => {
      if (refusedWith(cause) !== 409) throw cause;
    });

beforeAll(async () => {
  const node = { name: ready, instanceId: "i-00000000000000001", zone: "eu-west-1a" };
  controlPlane = await startControlPlane({ nodes: [node] });
});
afterAll(async () => controlPlane.stop());

beforeEach(async () => {
  await ifThere(core().deleteNode({ name: dead }));
  await core().createNode({ body: { metadata: { name: dead } } });
  await taintAs(asAdministrator, ready, {
    annotations: { [outOfServiceAnnotation]: null },
    taints: [],
  });
});

describe("where nodes are not removed", () => {
  beforeAll(async () => {
    const name = "eks-node-lifecycle-node-removal"; // from the tests below, if they come first
    await ifThere(controlPlane.api(RbacAuthorizationV1Api).deleteClusterRoleBinding({ name }));
    await deploy("never", "never");
  });

  it("the function may remove no node, and say of none that it is out of service", async () => {
    await untilTaints(false);
    const body = { preconditions: { uid: await uidOf(dead) } };
    const tried = () => remove(dead, { ...body, dryRun: ["All"] });
    await vi.waitFor(() => expect(tried()).rejects.toThrow("cannot delete resource"), patience);
    await expect(claim(dead)).rejects.toThrow("its own word");
  });
});

describe("where nodes are removed", () => {
  beforeAll(async () => {
    await deploy("terminated", "taint");
    await createUnlessThere(dead);
    await untilFenced();
    await untilTaints(true);
  });

  it("the function may remove a node that is not ready, by its UID", async () => {
    await remove(dead, { preconditions: { uid: await uidOf(dead) } });
    await expect(core().readNode({ name: dead })).rejects.toMatchObject({ code: 404 });
  });

  it.each<[string, RegExp | string, () => Promise<unknown>]>([
    ["removed by its name alone", "removes no node but by its UID", () => remove(dead, {})],
    [
      "removed while it is ready",
      "removes no node that is ready",
      async () => remove(ready, { preconditions: { uid: await uidOf(ready) } }),
    ],
    [
      "removed with all others",
      /cannot deletecollection resource/,
      () => core().deleteCollectionNode({}, asTheFunction),
    ],
    [
      "called out of service while it is ready",
      "out of service while it is ready",
      () => taintAs(merge, ready, { annotations: ours, taints: [taint] }),
    ],
    [
      "called out of service while it is ready, in two steps",
      "out of service while it is ready",
      async () => {
        await claim(ready);
        await taintAs(merge, ready, { taints: [taint] });
      },
    ],
    [
      "called out of service without our annotation",
      "out of service while it is ready",
      () => taintAs(merge, dead, { taints: [taint] }),
    ],
  ])("no node may be %s by the function", async (_name, why, doing) => {
    await expect(doing()).rejects.toThrow(why);
    expect((await core().readNode({ name: ready })).metadata?.deletionTimestamp).toBeUndefined();
    expect(await taintsOf(ready)).not.toContainEqual(expect.objectContaining(taint));
  });

  it("the function may say of a dead node that it is out of service, and take that back", async () => {
    await taintAs(merge, dead, { annotations: ours, taints: [taint] });
    expect(await taintsOf(dead)).toContainEqual(expect.objectContaining(taint));

    await taintAs(merge, dead, { annotations: { [outOfServiceAnnotation]: null }, taints: [] });
    expect(await taintsOf(dead)).not.toContainEqual(expect.objectContaining(taint));
  });

  it("the function may not take back what somebody else has said", async () => {
    await taintAs(asAdministrator, dead, { taints: [taint] });
    await expect(taintAs(merge, dead, { taints: [] })).rejects.toThrow("its own word");
    await expect(claim(dead)).rejects.toThrow("its own word");
  });

  it("the function keeps no claim on the next word of somebody else", async () => {
    // Kubernetes writes the taints of a dead node too, also between the read and the write of a try.
    const tried = async () => {
      await taintAs(merge, dead, { annotations: ours, taints: [taint] });
      await taintAs(merge, dead, { taints: [] });
    };
    await vi.waitFor(() => expect(tried()).rejects.toThrow("its own word"), patience);
  });
});
