import {
  CoreV1Api,
  EventsV1Api,
  PatchStrategy,
  setHeaderOptions,
  V1MicroTime,
  VersionApi,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { deadlineAnnotation, reasonAnnotation } from "../../lambda/drain/cause.ts";
import { leaseAnnotation } from "../../lambda/drain/eviction-lease.ts";
import {
  awaitedVolumesAnnotation,
  cordonedAnnotation,
  drainedAtAnnotation,
  emptiedAtAnnotation,
  exclusionLabel,
  lateSinceAnnotation,
  markedAtAnnotation,
  newsAnnotation,
  ownMark,
  replacedLabelAnnotation,
} from "../../lambda/drain/marking.ts";
import { drainAnnotation } from "../../lambda/drain/protection.ts";
import { outOfServiceAnnotation, outOfServiceTaint } from "../../lambda/interruption/left-node.ts";
import { maintenanceAnnotation } from "../../lambda/interruption/maintenance-trace.ts";
import { illSinceAnnotation } from "../../lambda/repair/ill-since.ts";
import { repairAnnotation } from "../../lambda/repair/repair-marks.ts";
import { agentRestartedAnnotation } from "../../lambda/repair/second-opinion.ts";
import {
  scaleDownDisabledAnnotation,
  upgradeAnnotations,
} from "../../lambda/upgrade/node-marks.ts";
import { replaceAnnotation } from "../../lambda/upgrade/old-instances.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { forgeries, tenLabels, tiedRecords } from "./crowded-records.ts";
import { deployRights } from "./fences.ts";
import { asTheFunction, asTheRepair, asTheUpgrade, place } from "./function-identity.ts";

const patience = { timeout: 60_000, interval: 250 };
const name = "node-1";
const ownTaint = { key: "example.com/draining", value: "true", effect: "NoSchedule" };
const { timeAdded: _, ...outOfService } = outOfServiceTaint;
const patching = (who?: typeof asTheUpgrade) =>
  setHeaderOptions("Content-Type", PatchStrategy.MergePatch, who);
const byOthers = patching();

const functions = [
  ["node", patching(asTheFunction)],
  ["upgrade", patching(asTheUpgrade)],
  ["repair", patching(asTheRepair)],
] as const;
type Its = (typeof functions)[number][0];

const marks = [
  markedAtAnnotation,
  reasonAnnotation,
  deadlineAnnotation,
  replacedLabelAnnotation,
  cordonedAnnotation,
  emptiedAtAnnotation,
  awaitedVolumesAnnotation,
  drainedAtAnnotation,
  leaseAnnotation,
];
const { kept, ...upgrades } = upgradeAnnotations;
const own: Readonly<Record<Its, readonly string[]>> = {
  node: [...marks, lateSinceAnnotation, maintenanceAnnotation],
  upgrade: [...marks, ...Object.values(upgrades)],
  repair: [...marks, repairAnnotation, illSinceAnnotation, agentRestartedAnnotation],
};
const late = "2026-11-20T12:00:00.000Z";
const later = "2026-11-22T12:00:00.000Z";
const others = [replaceAnnotation, drainAnnotation, "eks-node-lifecycle/other"];
const everything = [...new Set([...Object.values(own).flat(), ...others])];

let controlPlane: ControlPlane;
const core = () => controlPlane.api(CoreV1Api);
const write = (who: typeof byOthers, body: object, query: object = {}) =>
  core().patchNode({ name, body, ...query }, who);
const read = () => core().readNode({ name });
const annotated = (annotations: object, spec: object = {}) => ({ metadata: { annotations }, spec });
const labelled = (value: string | null, annotations: object = {}) => ({
  metadata: { labels: { [exclusionLabel]: value }, annotations },
});
const tainted = (...taints: readonly object[]) => ({ spec: { taints } });
const closed = { unschedulable: true };
const open = { unschedulable: false };

beforeAll(async () => {
  const node = { name, instanceId: "i-00000000000000001", zone: "eu-west-1a" };
  controlPlane = await startControlPlane({ nodes: [node] });
  await deployRights(controlPlane, {
    ownTaint: `${ownTaint.key}=${ownTaint.value}:${ownTaint.effect}`,
    outOfService: "taint",
  });
});
afterAll(async () => controlPlane.stop());

beforeEach(async () => {
  const annotations = Object.fromEntries(
    [...everything, newsAnnotation, kept, scaleDownDisabledAnnotation].map((key) => [key, null]),
  );
  await write(byOthers, { metadata: labelled(null, annotations).metadata, spec: open });
  await write(byOthers, tainted());
});

describe.each(functions)("the %s function", (its, by) => {
  it("marks a node with its label, cordon and taint, and takes that back", async () => {
    const marked = { [markedAtAnnotation]: "x", [cordonedAnnotation]: "true" };
    await write(by, {
      metadata: labelled(ownMark, marked).metadata,
      spec: { ...closed, ...tainted(ownTaint).spec },
    });
    const gone = { [markedAtAnnotation]: null, [cordonedAnnotation]: null };
    // Kubernetes writes the taint of a cordon too.
    await vi.waitFor(async () => {
      const { metadata: { resourceVersion } = {}, spec } = await read();
      const taints = (spec?.taints ?? []).filter(({ key }) => key !== ownTaint.key);
      const metadata = { ...labelled(null, gone).metadata, resourceVersion };
      await write(by, { metadata, spec: { ...open, taints } });
    }, patience);
    const { metadata, spec } = await read();
    expect(metadata?.labels).not.toHaveProperty([exclusionLabel]);
    expect(spec).not.toMatchObject(closed);
    expect(spec?.taints ?? []).not.toContainEqual(ownTaint);
  });

  it("replaces a label that excludes nothing, and puts it back", async () => {
    await write(byOthers, labelled("false"));
    await write(by, labelled(ownMark, { [replacedLabelAnnotation]: "false" }));
    await write(by, labelled("false", { [replacedLabelAnnotation]: null }));
    expect((await read()).metadata?.labels).toMatchObject({ [exclusionLabel]: "false" });
  });

  it("keeps no claim to the next cordon of others when it opens a node", async () => {
    await write(by, annotated({ [cordonedAnnotation]: "true" }, closed));
    await expect(write(by, { spec: open })).rejects.toThrow("no cordon of others");
    await write(by, annotated({ [cordonedAnnotation]: null }, open));
    await write(byOthers, { spec: closed });
    await expect(write(by, { spec: open })).rejects.toThrow("no cordon of others");
  });

  it("writes no status of a node where conditions are off", async () => {
    const body = { status: { phase: "Running" } };
    const written = core().patchNodeStatus({ name, body, dryRun: "All" }, by);
    await expect(written).rejects.toThrow(/cannot patch resource \W+nodes\/status/);
  });

  it("calls a node ill, and gives it a deadline, if it is the repair function", async () => {
    const isIll = { [reasonAnnotation]: "ill", [deadlineAnnotation]: late };
    const written = write(by, annotated(isIll), { dryRun: "All" });
    if (its === "repair") await written;
    else await expect(written).rejects.toThrow("calls no node ill");
  });

  it("gives an ill node more time if it is the repair function, and takes its mark away", async () => {
    const isIll = { [markedAtAnnotation]: late, [reasonAnnotation]: "ill" };
    await write(byOthers, annotated({ ...isIll, [deadlineAnnotation]: late }));
    for (const deadline of [later, null]) {
      const written = write(by, annotated({ [deadlineAnnotation]: deadline }), { dryRun: "All" });
      if (its === "repair") await written;
      else await expect(written).rejects.toThrow("gives no ill node more time");
    }
    for (const deadline of ["2026-11-20T12:00:00Z", "2026-11-20T11:59:59.000Z"])
      await write(by, annotated({ [deadlineAnnotation]: deadline }));
    await write(by, annotated({ [markedAtAnnotation]: later, [leaseAnnotation]: "a b" }));
    await write(by, annotated({ [reasonAnnotation]: "spot", [deadlineAnnotation]: late }));
    const none = { [markedAtAnnotation]: null, [reasonAnnotation]: null };
    await write(by, annotated({ ...none, [deadlineAnnotation]: null }));
  });

  it("says when a late drain began if it is the node function, and takes it away with the mark", async () => {
    await write(byOthers, annotated({ [markedAtAnnotation]: late, [lateSinceAnnotation]: late }));
    for (const since of [later, null]) {
      const written = write(by, annotated({ [lateSinceAnnotation]: since }), { dryRun: "All" });
      if (its === "node") await written;
      else await expect(written).rejects.toThrow("has no drain begin later");
    }
    await write(by, annotated({ [markedAtAnnotation]: null, [lateSinceAnnotation]: null }));
  });

  it.each(own[its])("writes its annotation %s", async (key) => {
    const text = `upgrade-1 2 demo/web: held by budget web…\nmore`;
    await write(by, annotated({ [key]: text }, closed), { dryRun: "All" });
  });

  it.each(everything.filter((key) => ![...own[its], lateSinceAnnotation].includes(key)))(
    "may not write the annotation %s, nor take it away",
    async (key) => {
      const why = "changes no annotation of a node but its own";
      await expect(write(by, annotated({ [key]: "x" }, closed))).rejects.toThrow(why);
      await write(byOthers, annotated({ [key]: "x" }));
      await expect(write(by, annotated({ [key]: "y" }))).rejects.toThrow(why);
      await expect(write(by, annotated({ [key]: null }))).rejects.toThrow(why);
    },
  );

  it.each<[string, string, { readonly before?: object; readonly body: object }]>([
    [
      "change another label",
      "changes no label",
      { body: { metadata: { labels: { "example.com/own": "a" } } } },
    ],
    [
      "take away its name",
      "changes no label",
      { body: { metadata: { labels: { "kubernetes.io/hostname": null } } } },
    ],
    [
      "keep a node by a finalizer",
      "changes nothing of a node",
      { body: { metadata: { finalizers: ["example.com/x"] } } },
    ],
    [
      "give its pods other addresses",
      "changes nothing of a node",
      { body: { spec: { podCIDR: "10.9.0.0/24", podCIDRs: ["10.9.0.0/24"] } } },
    ],
    ["taint it", "changes no taint", { body: tainted({ key: "x", effect: "NoExecute" }) }],
    [
      "empty a node by its own taint with the effect NoExecute",
      "changes no taint",
      { body: tainted({ ...ownTaint, effect: "NoExecute" }) },
    ],
    [
      "give its own taint another value",
      "changes no taint",
      { body: tainted({ ...ownTaint, value: "x" }) },
    ],
    [
      "add NoExecute to its own taint",
      "changes no taint",
      { before: tainted(ownTaint), body: tainted(ownTaint, { ...ownTaint, effect: "NoExecute" }) },
    ],
    [
      "take a taint of others away that has its own key",
      "changes no taint",
      { before: tainted({ ...ownTaint, value: "x" }), body: tainted() },
    ],
    [
      "call a node out of service in other words",
      "changes no taint",
      { body: tainted({ ...outOfService, value: "x" }) },
    ],
    [
      "exclude a node from load balancers in the name of others",
      "in its own name",
      { body: labelled("x") },
    ],
    [
      "exclude it with a value that stays where its undo looks for its own",
      "in its own name",
      { body: labelled("true") },
    ],
    [
      "take back an exclusion of others",
      "no exclusion of others",
      { before: labelled("karpenter"), body: labelled(null) },
    ],
    [
      "take over an exclusion of others",
      "no exclusion of others",
      { before: labelled("karpenter"), body: labelled(ownMark) },
    ],
    [
      "open a node that others have cordoned",
      "no cordon of others",
      { before: { spec: closed }, body: { spec: open } },
    ],
    [
      "claim a cordon of others",
      "no cordon of others",
      { before: { spec: closed }, body: annotated({ [cordonedAnnotation]: "true" }) },
    ],
    [
      "claim a cordon before there is one",
      "no cordon of others",
      { body: annotated({ [cordonedAnnotation]: "true" }) },
    ],
    [
      "write an escape into an annotation",
      "control characters",
      { body: annotated({ [reasonAnnotation]: "\u001b[31m" }) },
    ],
    [
      "write right-to-left marks into an annotation",
      "control characters",
      { body: annotated({ [reasonAnnotation]: "a\u202eb" }) },
    ],
    [
      "fill a node with an annotation",
      "too long",
      { body: annotated({ [reasonAnnotation]: "x".repeat(8193) }) },
    ],
    [
      "fill a node with few signs of many bytes",
      "too long",
      { body: annotated({ [reasonAnnotation]: "€".repeat(2731) }) },
    ],
    [
      "clear the record of who manages the node's fields",
      "no record of who manages",
      { body: { metadata: { managedFields: [{}] } } },
    ],
    [
      "clear it while it cordons",
      "no record of who manages",
      {
        body: {
          metadata: { managedFields: [{}], annotations: { [cordonedAnnotation]: "true" } },
          spec: closed,
        },
      },
    ],
  ])("may not %s", async (_name, why, { before = {}, body }) => {
    await write(byOthers, before);
    await expect(write(by, body)).rejects.toThrow(why);
  });
});

it("the functions together leave room for the annotations of others, which share 256 kB with theirs", async () => {
  const longest = "€".repeat(2730);
  for (const [its, by] of functions) {
    const full = [...own[its], newsAnnotation].map((key) => [
      key,
      key === maintenanceAnnotation ? longest.repeat(2) : longest,
    ]);
    await write(byOthers, { spec: open });
    await write(by, annotated(Object.fromEntries(full), closed));
  }
  await write(byOthers, annotated({ [drainAnnotation]: "x".repeat(65_536) }));
});

describe("what somebody has applied to a node", () => {
  const fieldManager = "Terraform";
  const applying = setHeaderOptions("Content-Type", PatchStrategy.ServerSideApply);
  const pool = { "f:pool": {} };
  const owned = { "f:metadata": { "f:labels": { "f:team": {} } } };

  beforeEach(async () => {
    await write(byOthers, { metadata: { labels: { pool: "a" } }, spec: { unschedulable: null } });
    const body = { apiVersion: "v1", kind: "Node", metadata: { name, labels: { team: "a" } } };
    await core().patchNode({ name, body, fieldManager, force: true }, applying);
  });

  /** The records of a node, with that of the applier changed. */
  const recordsWith = async (fieldsV1: object) =>
    (await read()).metadata?.managedFields?.map((one) =>
      one.operation === "Apply" ? { ...one, fieldsV1 } : one,
    );

  it.each(
    functions.flatMap(([its, by]) => [
      {
        its,
        by,
        what: "a label",
        fieldsV1: { "f:metadata": { "f:labels": { ...pool, "f:team": {} } } },
      },
      { its, by, what: "the cordon", fieldsV1: { ...owned, "f:spec": { "f:unschedulable": {} } } },
      { its, by, what: "nothing any more", fieldsV1: { "f:metadata": { "f:labels": {} } } },
    ]),
  )("cannot be made $what by the $its function", async ({ by, fieldsV1 }) => {
    const managedFields = await recordsWith(fieldsV1);

    const written = write(by, { metadata: { managedFields } });

    await expect(written).rejects.toThrow("no record of who manages");
  });

  it("may be taken by a mark, where it is the cordon", async () => {
    const [, by] = functions[0];
    const body = {
      apiVersion: "v1",
      kind: "Node",
      metadata: { name },
      spec: { unschedulable: false },
    };
    await core().patchNode({ name, body, fieldManager, force: true }, applying);

    await write(by, annotated({ [cordonedAnnotation]: "true" }, closed));

    expect((await read()).spec?.unschedulable).toBe(true);
  });
});

describe("what somebody has updated of a node", () => {
  const fieldManager = "pool-operator";
  const [, by] = functions[0];
  type Managed = Exclude<Awaited<ReturnType<typeof records>>, undefined>[number];
  const records = async () => (await read()).metadata?.managedFields ?? [];
  const update = (manager: string, body: object) =>
    write(byOthers, body, { fieldManager: manager });
  const part = (fields: unknown, key: string): object => Object(Object(fields)[key]);
  const marked = { [markedAtAnnotation]: "x", [cordonedAnnotation]: "true" };
  const mark = { metadata: labelled(ownMark, marked).metadata, spec: closed };
  const numbers = Array.from({ length: 13 }, (_, index) => index);
  const byNumber = Object.fromEntries(numbers.map((index) => [`by-${index}`, null]));

  beforeEach(async () => {
    await write(byOthers, { metadata: { managedFields: [{}] } });
    const labels = { ...byNumber, pool: null, team: null };
    const metadata = { labels, annotations: { team: null } };
    await write(byOthers, { metadata });
    await update("registrar", { metadata: { labels: { region: "x" } } });
    await core().patchNode(
      {
        name,
        fieldManager: "zoner",
        force: true,
        body: { apiVersion: "v1", kind: "Node", metadata: { name, labels: { zoned: "x" } } },
      },
      setHeaderOptions("Content-Type", PatchStrategy.ServerSideApply),
    );
    const own = { labels: { pool: "a", team: "a" }, annotations: { team: "a" } };
    await update(fieldManager, { metadata: own, spec: closed });
    await write(byOthers, { spec: open });
  });

  const forging = (who: typeof by, change: (one: Managed) => readonly object[]) => async () => {
    const managedFields = (await records()).flatMap((one) =>
      one.manager === fieldManager ? change(one) : [one],
    );
    return write(who, { ...mark, metadata: { ...mark.metadata, managedFields } });
  };

  it.each(functions)("stays its own, whatever the %s function writes", async (_, who) => {
    await expect(forging(who, () => [])()).rejects.toThrow("no record of who manages");
  });

  it.each<[string, (one: Managed) => readonly object[]]>([
    ["named kubectl-anything, which Flux takes over", (one) => [{ ...one, manager: "kubectl-x" }]],
    ["named as the function's own", (one) => [{ ...one, manager: "eks-node-lifecycle" }]],
    [
      "named as those that the API server forgets",
      (one) => [{ ...one, manager: "ancient-changes" }],
    ],
    ["an apply", (one) => [{ ...one, operation: "Apply" }]],
    ["of another time", (one) => [{ ...one, time: new Date("2020-01-01T00:00:00Z") }]],
    ["of the status", (one) => [{ ...one, subresource: "status" }]],
    ["told twice, once as kubectl's", (one) => [one, { ...one, manager: "kubectl-x" }]],
    [
      "without its labels",
      (one) => [{ ...one, fieldsV1: { "f:metadata": { "f:annotations": { "f:team": {} } } } }],
    ],
    [
      "with more than before",
      (one) => [
        {
          ...one,
          fieldsV1: { ...part({ is: one.fieldsV1 }, "is"), "f:spec": { "f:podCIDR": {} } },
        },
      ],
    ],
    ["the function's own too", (one) => [one, { ...one, manager: "eks-node-lifecycle" }]],
  ])("cannot be made %s", async (_, change) => {
    await expect(forging(by, change)()).rejects.toThrow("no record of who manages");
  });

  it("loses nothing by a mark and its end, also where more than ten have updated the node, of which the API server itself forgets the oldest", async () => {
    for (const index of numbers) {
      await update(`kubectl-${index}`, { metadata: { labels: { [`by-${index}`]: "x" } } });
      await write(by, mark);
      const gone = { [markedAtAnnotation]: null, [cordonedAnnotation]: null };
      await write(by, { metadata: labelled(null, gone).metadata, spec: open });
    }
    const after = await records();
    // Which ones it takes for the oldest of a second, it decides by their names.
    const managers = after.map(({ manager }) => manager);
    expect(managers).toEqual(expect.arrayContaining(["ancient-changes", "zoner"]));
    const labels = after.flatMap(({ fieldsV1 }) =>
      Object.keys(part(part(fieldsV1, "f:metadata"), "f:labels")),
    );
    expect(labels).toEqual(expect.arrayContaining(numbers.map((index) => `f:by-${index}`)));
  });

  // Of those of one second, it takes the names in their order, and forgets its own record behind one that stands before it.
  it("stops no mark where the API server forgets what it has put together itself", async () => {
    await write(byOthers, { metadata: { labels: tenLabels } });
    await write(byOthers, { metadata: { managedFields: tiedRecords("v1") } });

    await write(by, mark);

    expect((await read()).spec?.unschedulable).toBe(true);
  });

  it.each(forgeries)("is not changed by a mark that $what", async ({ before, forge }) => {
    const forgotten = { "f:metadata": { "f:annotations": { [`f:${markedAtAnnotation}`]: {} } } };
    await write(byOthers, { metadata: { labels: tenLabels } });
    // A kubelet or a controller may write the node between two of these.
    await vi.waitFor(async () => {
      await write(byOthers, { metadata: { managedFields: before("v1", forgotten) } });
      await write(by, mark, { dryRun: "All" });
      const metadata = { ...mark.metadata, managedFields: forge(await records()) };
      const forged = write(by, { ...mark, metadata }, { dryRun: "All" });
      await expect(forged).rejects.toThrow("no record of who manages");
    }, patience);
  });

  it("is not all forgotten where more than ten have updated the node", async () => {
    for (const index of numbers.slice(0, 10))
      await update(`operator-${index}`, { metadata: { labels: { [`by-${index}`]: "x" } } });
    const all = await records();
    const updated = all.filter(
      (one) => one.operation === "Update" && one.subresource === undefined,
    );
    const names = updated.flatMap(({ fieldsV1 }) =>
      Object.entries(part(part(fieldsV1, "f:metadata"), "f:labels")),
    );
    const [first] = updated;
    const fieldsV1 = { "f:metadata": { "f:labels": Object.fromEntries(names) } };
    const ancient = { ...first, manager: "ancient-changes", fieldsV1 };
    for (const gone of [updated, updated.slice(-2)]) {
      const managedFields = [...all.filter((one) => !gone.includes(one)), ancient];
      const metadata = { ...mark.metadata, managedFields };
      await expect(write(by, { ...mark, metadata })).rejects.toThrow("no record of who manages");
    }
  });
});

describe("only the node function", () => {
  const dead = "node-2";
  beforeAll(() => core().createNode({ body: { metadata: { name: dead } } }));

  it.each(functions)(
    "calls a dead node out of service, and not the %s function",
    async (its, by) => {
      const call = async () => {
        const { metadata: { resourceVersion } = {}, spec } = await core().readNode({ name: dead });
        const annotations = { [outOfServiceAnnotation]: "true" };
        const taints = [...(spec?.taints ?? []), outOfService];
        const body = { metadata: { annotations, resourceVersion }, spec: { taints } };
        return core().patchNode({ name: dead, body, dryRun: "All" }, by);
      };
      // Kubernetes taints a dead node too, also between the read and the write of a try.
      await vi.waitFor(async () => {
        if (its === "node") await call();
        else await expect(call()).rejects.toThrow("changes no annotation");
      }, patience);
    },
  );
});

describe("the upgrade function", () => {
  const [, [, byUpgrade]] = functions;
  const both = { [cordonedAnnotation]: "true", [upgradeAnnotations.cordoned]: "upgrade-1 true" };
  const refused = "no cordon of others";

  it("says of a cordon in one word that it is its own", async () => {
    await expect(write(byUpgrade, annotated(both, closed))).rejects.toThrow(refused);
    await write(byUpgrade, annotated({ [upgradeAnnotations.cordoned]: "upgrade-1 true" }, closed));
    await expect(write(byUpgrade, annotated(both))).rejects.toThrow(refused);
  });

  it("leaves its cordon to the drain that has marked the node meanwhile", async () => {
    await write(byUpgrade, annotated({ [upgradeAnnotations.cordoned]: "upgrade-1 true" }, closed));
    await write(byUpgrade, annotated({ ...both, [upgradeAnnotations.cordoned]: null }));
    const { metadata, spec } = await read();
    expect(metadata?.annotations).toHaveProperty([cordonedAnnotation]);
    expect(spec).toMatchObject(closed);
  });
});

describe("Cluster Autoscaler", () => {
  const byUpgrade = patching(asTheUpgrade);
  const held = { [scaleDownDisabledAnnotation]: "true", [kept]: "true" };
  const released = { [scaleDownDisabledAnnotation]: null, [kept]: null };
  const told = async () => (await read()).metadata?.annotations ?? {};

  it("is kept away from a node by the upgrade function, which takes that back", async () => {
    await write(byUpgrade, annotated(held));
    expect(await told()).toMatchObject(held);
    await write(byUpgrade, annotated(released));
    expect(await told()).not.toHaveProperty([scaleDownDisabledAnnotation]);
  });

  it("loses the upgrade function's own annotation too where somebody has taken the other", async () => {
    await write(byUpgrade, annotated(held));
    await write(byOthers, annotated({ [scaleDownDisabledAnnotation]: null }));
    await write(byUpgrade, annotated(released));
    expect(await told()).not.toHaveProperty([kept]);
  });

  it("hears no more than that from it, and nothing without its own word", async () => {
    const why = "by its own word";
    for (const words of [
      { [scaleDownDisabledAnnotation]: "true" },
      { [scaleDownDisabledAnnotation]: "x", [kept]: "x" },
    ])
      await expect(write(byUpgrade, annotated(words))).rejects.toThrow(why);
    await write(byOthers, annotated({ [scaleDownDisabledAnnotation]: "true" }));
    for (const words of [
      released,
      { ...held, [scaleDownDisabledAnnotation]: "false" },
      { [kept]: "true" },
    ])
      await expect(write(byUpgrade, annotated(words))).rejects.toThrow(why);
  });

  it.each([
    ["node", asTheFunction],
    ["repair", asTheRepair],
  ] as const)("hears nothing from the %s function", async (_, who) => {
    await expect(write(patching(who), annotated(held))).rejects.toThrow("changes no annotation");
  });
});

describe.each([
  ["upgrade", asTheUpgrade],
  ["repair", asTheRepair],
] as const)("the %s function besides nodes", (its, who) => {
  const namespace = "default";
  const event = (its: string, reportingController: string) =>
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

  it("records Events in its own name alone, and reads the version of the API server", async () => {
    await event(`eks-node-lifecycle.${its}`, "eks-node-lifecycle");
    await expect(event("node-1.forged", "kubelet")).rejects.toThrow("in the name of others");
    await expect(controlPlane.api(VersionApi).getCode(who)).resolves.toHaveProperty("gitVersion");
  });

  it.each<[string, string, () => Promise<unknown>]>([
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
