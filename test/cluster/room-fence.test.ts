import {
  AppsV1Api,
  AutoscalingV1Api,
  AutoscalingV2Api,
  CoreV1Api,
  CustomObjectsApi,
  PatchStrategy,
  setHeaderOptions,
  type V1ManagedFieldsEntry,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { sleepFor } from "../../lambda/base/clock.port.ts";
import {
  type Duration,
  hours,
  later,
  minutes,
  seconds,
  timestamp,
} from "../../lambda/base/time.ts";
import {
  costAnnotation,
  labelOf,
  lowestCost,
  type RoomRecord,
  recordAnnotation,
  recordLabel,
  recordText,
  unneededCost,
} from "../../lambda/making-room/record.ts";
import { makeRoomAnnotation } from "../../lambda/making-room/room-refusal.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { ifThere } from "../contract/if-there.ts";
import { type ControlPlane, startControlPlane } from "./control-plane.ts";
import { forgeries, tenLabels, tiedRecords } from "./crowded-records.ts";
import { deployRights } from "./fences.ts";
import { asTheFunction, asTheRepair, asTheUpgrade } from "./function-identity.ts";
import { addScaledObject, scaledObjects } from "./scaled-objects.ts";

const patience = { timeout: 60_000, interval: 250 };
const web = { namespace: "kube-public", name: "web" };
const asAutoscaler = setHeaderOptions(
  "User-Agent",
  "kube-controller-manager/v1",
  setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
);
const merge = setHeaderOptions("Content-Type", PatchStrategy.MergePatch, asTheFunction);
const strategic = setHeaderOptions(
  "Content-Type",
  PatchStrategy.StrategicMergePatch,
  asTheFunction,
);
const applied = setHeaderOptions("Content-Type", PatchStrategy.ServerSideApply, asTheFunction);
const asAdministrator = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
const container = { name: "web", image: "web:1", imagePullPolicy: "IfNotPresent" };

let controlPlane: ControlPlane;
const apps = () => controlPlane.api(AppsV1Api);
const scaling = () => controlPlane.api(AutoscalingV2Api);
const core = () => controlPlane.api(CoreV1Api);

beforeAll(async () => {
  controlPlane = await startControlPlane({ nodes: [] });
  await deployRights(controlPlane);
  await addScaledObject(controlPlane, web, { minReplicaCount: 0, maxReplicaCount: 5 });
  const body = { metadata: web, spec: podSpec };
  await vi.waitFor(() => core().createNamespacedPod({ ...web, body }), patience);
}, 120_000);
afterAll(async () => controlPlane.stop());

const podSpec = { containers: [container] };
const deployment = {
  metadata: web,
  spec: {
    replicas: 4,
    selector: { matchLabels: { app: "web" } },
    strategy: { rollingUpdate: { maxSurge: "50%", maxUnavailable: 1 } },
    template: { metadata: { labels: { app: "web" } }, spec: podSpec },
  },
};
const typed = { apiVersion: "apps/v1", kind: "Deployment" };
const autoscaler = {
  metadata: web,
  spec: {
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "none" },
    minReplicas: 2,
    maxReplicas: 9,
  },
};

beforeEach(async () => {
  await ifThere(apps().deleteNamespacedDeployment(web));
  await ifThere(scaling().deleteNamespacedHorizontalPodAutoscaler(web));
  await vi.waitFor(async () => {
    await apps().createNamespacedDeployment({ ...web, body: deployment });
    await scaling().createNamespacedHorizontalPodAutoscaler({ ...web, body: autoscaler });
  }, patience);
});

const text = (was: number, is: number, phase: RoomRecord["phase"] = "up"): string =>
  dated([minutes(0), minutes(10)], was, is, phase);

/** A record of these times from now. */
const dated = (
  [since, until]: readonly [Duration, Duration],
  was: number,
  is: number,
  phase: RoomRecord["phase"] = "up",
): string => {
  const now = systemClock.now();
  const times = { since: later(now, since), until: later(now, until) };
  return recordText({ phase, was, is, ...times, why: "node a" });
};

/** A change that says what was before. */
const noted = (record: string | null, spec: object, more: object = {}) => ({
  metadata: {
    labels: { [recordLabel]: record?.startsWith("up") === true ? labelOf(record) : null },
    annotations: { [recordAnnotation]: record, ...more },
  },
  spec,
});

const unlabelled = (record: string, spec: object) => ({
  metadata: { annotations: { [recordAnnotation]: record } },
  spec,
});
const timeless = `up: 4 to 5 since ${"0".repeat(20)} until ${"0".repeat(20)} for node a`;

/** Whether a request only asks what would be said to it. */
type Trial = { readonly dryRun?: "All" };
const tried = { dryRun: "All" } as const;

const ask = (body: object) => apps().patchNamespacedDeployment({ ...web, body }, merge);
const askScaler = (body: object, query: Trial = {}) =>
  scaling().patchNamespacedHorizontalPodAutoscaler({ ...web, body, ...query }, merge);
const askPod = (body: object, query: Trial = {}) =>
  core().patchNamespacedPod({ ...web, body, ...query }, strategic);
const askSet = (body: object, name = "bare") =>
  apps().patchNamespacedReplicaSet({ ...web, name, body }, merge);
const scaledWeb = { ...scaledObjects, ...web };
const custom = () => controlPlane.api(CustomObjectsApi);
const askKeda = (body: object, query: Trial = {}) =>
  custom().patchNamespacedCustomObject({ ...scaledWeb, body, ...query }, merge);
const cheap = { metadata: { annotations: { [costAnnotation]: lowestCost } } };

/** The owner of the namespace says a word, which the policies hear a moment later. */
async function namespaceSays(word: string | null): Promise<void> {
  await core().patchNamespace(
    { name: web.namespace, body: { metadata: { annotations: { [makeRoomAnnotation]: word } } } },
    asAdministrator,
  );
  const trial = () => askPod(cheap, tried);
  if (word === null || word === "on") await vi.waitFor(trial, patience);
  else await vi.waitFor(() => expect(trial()).rejects.toThrow(onlyNodes), patience);
}
const raised = () => ask(noted(text(4, 6), { replicas: 6 }));

const unfit = [
  ["has no pods", { spec: { replicas: 0 } }],
  ["must never run twice", { spec: { strategy: { type: "Recreate", rollingUpdate: null } } }],
  ["is off by its annotation", { metadata: { annotations: { [makeRoomAnnotation]: "off" } } }],
] satisfies [string, object][];

const onlyNodes = /changes nodes, and/;
const once = /raises a count once/;
const lowers = /lowers only a count that it has raised/;
const keeps = /changes no record/;
const onlyCount = /changes nothing of a workload but its count/;
// That policy hears of a Deployment a moment after it is written.
const behind = /surges nothing through its autoscaler/;

describe("a Deployment", () => {
  it("gets as many pods more as a rollout may make, with a record, and its count back", async () => {
    await raised();
    await ask(noted(null, { replicas: 4 }));
    const { metadata, spec } = await apps().readNamespacedDeployment(web);
    expect(spec?.replicas).toBe(4);
    expect(metadata?.labels?.[recordLabel]).toBeUndefined();
  });

  it("gets its count back with a note that there was no room, and may be raised again", async () => {
    await raised();
    await ask(noted(text(4, 4, "none"), { replicas: 4 }));
    await ask(noted(text(4, 5), { replicas: 5 }));
  });

  it.each<[string, PatchStrategy, string]>([
    ["kubectl apply", PatchStrategy.MergePatch, "kubectl-client-side-apply"],
    ["kubectl apply --server-side", PatchStrategy.ServerSideApply, "kubectl"],
  ])(
    "is raised and gets its count back though its manifest was exported with a note of that and came back by `%s`",
    async (_, patch, fieldManager) => {
      const surgeAndBack = async (why: string) => {
        await raised();
        const note = `${dated([minutes(0), minutes(0)], 4, 4, "none")} ${why}`;
        const { metadata, spec } = noted(note, { replicas: 4 });
        await ask({ metadata: { ...metadata, labels: { [recordLabel]: null } }, spec });
        return (await apps().readNamespacedDeployment(web)).metadata;
      };
      const { annotations, labels } = (await surgeAndBack("first")) ?? {};
      expect(labels).toBeUndefined();
      await surgeAndBack("second");
      const body = { ...deployment, ...typed, metadata: { ...web, annotations } };
      const force = patch === PatchStrategy.ServerSideApply ? { force: true } : {};
      await apps().patchNamespacedDeployment(
        { ...web, body, fieldManager, ...force },
        setHeaderOptions("Content-Type", patch),
      );
      expect((await surgeAndBack("third"))?.annotations?.[recordAnnotation]).toMatch(/third$/);
    },
  );

  it("gets its count back that an autoscaler has raised", async () => {
    await ask(noted(text(4, 5), {}));
    const body = { spec: { replicas: 5 } };
    await apps().patchNamespacedDeploymentScale({ ...web, body }, asAdministrator);
    await ask(noted(null, { replicas: 4 }));
  });

  it("may have a record before its autoscaler is raised, and may lose it with any count", async () => {
    await ask(noted(text(4, 5), {}));
    await apps().patchNamespacedDeployment(
      { ...web, body: { spec: { replicas: 7 } } },
      asAdministrator,
    );
    await ask(noted(null, {}));
  });

  it("keeps a count of its owner's beside the record of an old surge, which `kubectl rollout undo` brings back without the label", async () => {
    const record = text(3, 4);
    const old = { metadata: { annotations: { [recordAnnotation]: record } } };
    await apps().patchNamespacedDeployment({ ...web, body: old }, asAdministrator);
    // The API server takes more of such an entry once another one has an annotation too.
    const revised = async () => (await apps().readNamespacedDeployment(web)).metadata?.annotations;
    await expect.poll(revised, patience).toHaveProperty(["deployment.kubernetes.io/revision"]);
    await expect(ask(noted(null, { replicas: 3 }))).rejects.toThrow(lowers);
    const labelled = { [recordLabel]: labelOf(record) };
    await expect(ask({ metadata: { labels: labelled } })).rejects.toThrow(keeps);
    await ask(noted(text(4, 5), { replicas: 5 }));
    await ask(noted(null, { replicas: 4 }));
  });

  it("gets its count back though its owner has emptied the record of managers, and then applies it server-side", async () => {
    await raised();
    const body = { metadata: { managedFields: [{}] } };
    await apps().patchNamespacedDeployment({ ...web, body }, asAdministrator);
    const applied = { ...typed, metadata: { ...web, labels: { team: "a" } } };
    await apps().patchNamespacedDeployment(
      { ...web, body: applied, fieldManager: "flux" },
      setHeaderOptions("Content-Type", PatchStrategy.ServerSideApply),
    );
    const { metadata } = await apps().readNamespacedDeployment(web);
    const managers = metadata?.managedFields?.map(({ manager }) => manager);
    expect(managers).toContain("before-first-apply");
    await expect(ask(noted(null, {}))).rejects.toThrow("drops a record only");
    await ask(noted(text(4, 4, "none"), { replicas: 4 }));
  });

  it.each([
    ["makes its rollouts smaller", { rollingUpdate: { maxSurge: 1 } }],
    ["must not have a second pod by now", { type: "Recreate", rollingUpdate: null }],
  ])("gets its count back though its owner meanwhile %s", async (_, strategy) => {
    await raised();
    await apps().patchNamespacedDeployment(
      { ...web, body: { spec: { strategy } } },
      asAdministrator,
    );
    await ask(noted(text(4, 4, "none"), { replicas: 4 }));
  });

  it.each([
    ["a record", { "f:metadata": { "f:annotations": { [`f:${recordAnnotation}`]: {} } } }],
    ["a label", { "f:metadata": { "f:labels": { [`f:${recordLabel}`]: {} } } }],
    ["a count", { "f:spec": { "f:replicas": {} } }],
  ])(
    "of others is not said to have %s of the function's, by which a count of its owner's would go down",
    async (_, fieldsV1) => {
      const record = text(4, 6);
      await apps().patchNamespacedDeployment(
        { ...web, body: noted(record, { replicas: 6 }), fieldManager: "kubectl" },
        asAdministrator,
      );
      const { metadata } = await apps().readNamespacedDeployment(web);
      const own = { manager: "eks-node-lifecycle", operation: "Update", apiVersion: "apps/v1" };
      const entry = {
        ...own,
        time: timestamp(systemClock.now()),
        fieldsType: "FieldsV1",
        fieldsV1,
      };
      const managedFields = [...(metadata?.managedFields ?? []), entry];
      await expect(ask({ metadata: { managedFields } })).rejects.toThrow("record of who");
      await expect(ask(noted(null, { replicas: 4 }))).rejects.toThrow(lowers);
    },
  );

  it("keeps a count of its owner's beside the record of its own surge, which is brought back to its label", async () => {
    const up = text(4, 5);
    await ask(noted(up, { replicas: 5 }));
    for (const record of [null, up]) {
      const body = { metadata: { annotations: { [recordAnnotation]: record } } };
      await apps().patchNamespacedDeployment({ ...web, body }, asAdministrator);
    }
    const { metadata } = await apps().readNamespacedDeployment(web);
    expect(metadata?.labels?.[recordLabel]).toBe(labelOf(up));
    await expect(ask(noted(null, { replicas: 4 }))).rejects.toThrow(lowers);
    await ask(noted(text(5, 5, "lost"), {}));
  });

  it.each([
    ["that others have just written", [minutes(-1), minutes(9)]],
    ["that is old", [hours(-30), minutes(-29 * 60 - 1)]],
  ] as const)("is not surged by a record %s, which gets its label", async (_, times) => {
    const record = dated(times, 4, 6);
    const body = { metadata: { annotations: { [recordAnnotation]: record } } };
    await apps().patchNamespacedDeployment({ ...web, body }, asAdministrator);
    const labels = { [recordLabel]: labelOf(record) };
    const surge = { metadata: { labels }, spec: { replicas: 6 } };
    await expect(ask(surge)).rejects.toThrow("times of now");
  });

  it.each([
    [1, 6],
    [0, 1],
    // One that `kubectl rollout undo` brings back has another time than the label.
    [5, 6],
  ])("keeps its pods where somebody has changed its record to %d to %d", async (was, is) => {
    const lie = {
      metadata: {
        annotations: { [recordAnnotation]: dated([minutes(-1), minutes(9)], was, is) },
      },
      spec: { replicas: is },
    };
    await raised();
    await apps().patchNamespacedDeployment({ ...web, body: lie }, asAdministrator);
    await expect(ask(noted(null, { replicas: was }))).rejects.toThrow(lowers);
  });

  it.each([
    ["a count without a record", { spec: { replicas: 5 } }, once],
    ["more than a rollout may make", noted(text(4, 7), { replicas: 7 }), keeps],
    ["a record of another count before", noted(text(3, 5), { replicas: 5 }), keeps],
    ["a count that is not the recorded one", noted(text(4, 5), { replicas: 6 }), once],
    ["a record that goes down", noted(text(4, 1), {}), keeps],
    ["a record that goes far up", noted(text(4, 99), {}), keeps],
    ["a lower count", { spec: { replicas: 1 } }, lowers],
    ["no pods", noted(null, { replicas: 0 }), lowers],
    ["a pause", noted(text(4, 5), { replicas: 5, paused: true }), onlyCount],
    [
      "another image",
      { spec: { template: { spec: { containers: [{ ...container, image: "evil:1" }] } } } },
      onlyCount,
    ],
    [
      "another strategy",
      { spec: { strategy: { type: "Recreate", rollingUpdate: null } } },
      onlyCount,
    ],
    ["a finalizer", { metadata: { finalizers: ["example.com/stays"] } }, onlyCount],
    [
      "an owner",
      { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "a", uid: "b" }] } },
      onlyCount,
    ],
    ["the beginning of a name", { metadata: { generateName: "other-" } }, onlyCount],
    ["another label", { metadata: { labels: { app: "x" } } }, /changes no label/],
    [
      "another value of its own label",
      { metadata: { labels: { [recordLabel]: "x" } } },
      /changes no label/,
    ],
    [
      "another annotation",
      noted(text(4, 5), { replicas: 5 }, { "example.com/x": "" }),
      /changes no annotation/,
    ],
    [
      "a record of another form",
      { metadata: { annotations: { [recordAnnotation]: "x" } } },
      /one form only/,
    ],
    ["a longer time to come up", { spec: { minReadySeconds: 9 } }, onlyCount],
    [
      "a record with the label of another time",
      {
        metadata: {
          labels: { [recordLabel]: labelOf(dated([minutes(-1), minutes(10)], 4, 5)) },
          annotations: { [recordAnnotation]: text(4, 5) },
        },
        spec: { replicas: 5 },
      },
      /changes no label/,
    ],
    ["a record without the label", unlabelled(text(4, 5), { replicas: 5 }), /labels whatever/],
    ["a record of no time", noted(timeless, { replicas: 5 }), /one form only|times|timestamp/],
    ["a forged record of managers", { metadata: { managedFields: [{}] } }, /record of who/],
  ])("does not get %s", async (_, body, why) => {
    await expect(ask(body)).rejects.toThrow(why);
  });

  it.each([
    ["is raised again", noted(text(6, 8), { replicas: 8 }), keeps],
    ["loses the count before from its record", noted(text(1, 6), {}), keeps],
    ["goes below the count before", noted(null, { replicas: 3 }), lowers],
    ["loses its record and stays", noted(null, {}), /drops a record only/],
    ["gets a note and stays", noted(text(6, 6, "none"), {}), /drops a record only/],
    ["goes back without losing its record", { spec: { replicas: 4 } }, lowers],
    ["loses its label", { metadata: { labels: { [recordLabel]: null } } }, /labels whatever/],
    [
      "loses its label with a note",
      { metadata: { labels: { [recordLabel]: null }, annotations: { [recordAnnotation]: null } } },
      /drops a record only/,
    ],
    ["goes back though somebody has scaled it", noted(null, { replicas: 4 }), lowers],
  ])("never %s once it is raised", async (what, body, why) => {
    await raised();
    const spec = { replicas: what.includes("somebody") ? 8 : 6 };
    await apps().patchNamespacedDeployment({ ...web, body: { spec } }, asAdministrator);
    await expect(ask(body)).rejects.toThrow(why);
  });

  it.each([
    ["a label", { metadata: { labels: { theirs: null } } }, /changes no label/],
    ["an annotation", { metadata: { annotations: { theirs: null } } }, /changes no annotation/],
    ["a time to come up", { spec: { minReadySeconds: null } }, onlyCount],
  ])("keeps %s that its owner has set", async (_, body, why) => {
    const theirs = { labels: { theirs: "x" }, annotations: { theirs: "x" } };
    const set = { metadata: theirs, spec: { minReadySeconds: 9 } };
    await apps().patchNamespacedDeployment({ ...web, body: set }, asAdministrator);
    await expect(ask(body)).rejects.toThrow(why);
  });

  it.each([
    ["upgrade", asTheUpgrade],
    ["repair", asTheRepair],
  ])("gets no count without a record from the %s function either", async (_, who) => {
    const body = { spec: { replicas: 5 } };
    const by = setHeaderOptions("Content-Type", PatchStrategy.MergePatch, who);
    await expect(apps().patchNamespacedDeployment({ ...web, body }, by)).rejects.toThrow(once);
  });

  it.each<[string, object]>(unfit)("is not surged if it %s", async (what, change) => {
    await apps().patchNamespacedDeployment({ ...web, body: change }, asAdministrator);
    const was = what === "has no pods" ? 0 : 4;
    const surge = ask(noted(text(was, was + 1), { replicas: was + 1 }));
    await expect(surge).rejects.toThrow("must not have a second pod");
  });

  it("is scaled by no other way, applied by no other name, made nor removed", async () => {
    const body = { spec: { replicas: 5 } };
    await expect(apps().patchNamespacedDeploymentScale({ ...web, body }, merge)).rejects.toThrow(
      "cannot patch",
    );
    await expect(apps().deleteNamespacedDeployment(web, asTheFunction)).rejects.toThrow(
      "cannot delete",
    );
    const own = {
      apiVersion: "apps/v1",
      kind: "Deployment",
      ...noted(text(4, 5), { replicas: 5 }),
    };
    const asApplied = { ...web, body: own, fieldManager: "helm-controller", force: true };
    await expect(apps().patchNamespacedDeployment(asApplied, applied)).rejects.toThrow(
      /who manages|times of now/,
    );
  });

  it.each(["OFF", "Off", "false", "no", ""])(
    "is not surged if it or its namespace says %j, for any word but `on` is off",
    async (word) => {
      const metadata = { annotations: { [makeRoomAnnotation]: word } };
      await apps().patchNamespacedDeployment({ ...web, body: { metadata } }, asAdministrator);
      await expect(raised()).rejects.toThrow("must not have a second pod");
      const no = { annotations: { [makeRoomAnnotation]: null } };
      await apps().patchNamespacedDeployment({ ...web, body: { metadata: no } }, asAdministrator);
      await namespaceSays(word);
      await expect(raised()).rejects.toThrow("must not have a second pod");
      await namespaceSays(null);
    },
  );

  it.each<[string, readonly [Duration, Duration], "none" | "up"]>([
    ["begins after eleven minutes", [minutes(11), minutes(20)], "up"],
    ["begins in 2099", [hours(640_000), hours(640_000)], "up"],
    ["ends before it begins", [minutes(0), minutes(-1)], "up"],
    ["begins two hours ago", [hours(-2), hours(-2)], "up"],
    ["lasts more than an hour", [minutes(0), minutes(61)], "up"],
    ["says until 2099 that there is no room", [hours(640_000), hours(640_000)], "none"],
  ])("gets no record that %s by the API server's clock", async (_, times, phase) => {
    const [is, spec] = phase === "up" ? [5, { replicas: 5 }] : [4, {}];
    await expect(ask(noted(dated(times, 4, is, phase), spec))).rejects.toThrow("times of now");
  });

  it("is raised by its autoscaler alone once that has set its count", async () => {
    const scaled = (replicas: number) =>
      apps().patchNamespacedDeploymentScale({ ...web, body: { spec: { replicas } } }, asAutoscaler);
    await raised();
    await scaled(5);
    await ask(noted(null, {}));
    await expect(ask(noted(text(5, 7), { replicas: 7 }))).rejects.toThrow("an autoscaler has set");
    await ask(noted(text(5, 6), {}));
    await scaled(6);
    await ask(noted(null, { replicas: 5 }));
  });

  it("gets five pods more at the most, whatever a rollout may make", async () => {
    const strategy = { rollingUpdate: { maxSurge: "100%" } };
    const body = { spec: { replicas: 10, strategy } };
    await apps().patchNamespacedDeployment({ ...web, body }, asAdministrator);
    await expect(ask(noted(text(10, 16), { replicas: 16 }))).rejects.toThrow(keeps);
    await ask(noted(text(10, 15), { replicas: 15 }));
    await ask(noted(null, { replicas: 10 }));
  });
});

describe("the record of who manages the fields of a Deployment", () => {
  const surge = noted(text(4, 6), { replicas: 6 });
  const template = {
    metadata: { annotations: { "example.com/by-hand": "x" } },
    spec: { containers: [{ name: "web", env: [{ name: "BY_HAND", value: "x" }] }] },
  };

  beforeEach(async () => {
    const body = { metadata: { labels: { team: "a" } }, spec: { replicas: 4, template } };
    const by = { ...web, body, fieldManager: "web-operator" };
    await apps().patchNamespacedDeployment(
      by,
      setHeaderOptions("Content-Type", PatchStrategy.StrategicMergePatch),
    );
  });

  const read = async () =>
    (await apps().readNamespacedDeployment(web)).metadata?.managedFields ?? [];
  type Managed = Awaited<ReturnType<typeof read>>[number];
  /** The permitted surge, with the record of the operator changed. */
  const forged = async (change: (one: Managed) => readonly object[]) => {
    const managedFields = (await read()).flatMap((one) =>
      one.manager === "web-operator" ? change(one) : [one],
    );
    return ask({ ...surge, metadata: { ...surge.metadata, managedFields } });
  };
  const part = (fields: unknown, name: string): object => Object(Object(fields)[name]);

  it.each<[string, (one: Managed) => readonly object[]]>([
    ["named kubectl-anything, which Flux takes over", (one) => [{ ...one, manager: "kubectl-x" }]],
    ["named helm", (one) => [{ ...one, manager: "helm" }]],
    ["named as the function's own", (one) => [{ ...one, manager: "eks-node-lifecycle" }]],
    [
      "named as those that the API server forgets",
      (one) => [{ ...one, manager: "ancient-changes" }],
    ],
    ["an apply", (one) => [{ ...one, operation: "Apply" }]],
    ["of another time", (one) => [{ ...one, time: "2020-01-01T00:00:00Z" }]],
    ["of a subresource", (one) => [{ ...one, subresource: "status" }]],
    ["nobody's", () => []],
    ["told twice, once as kubectl's", (one) => [one, { ...one, manager: "kubectl-x" }]],
    [
      "without the pod template",
      (one) => [
        { ...one, fieldsV1: { "f:metadata": part(one.fieldsV1, "f:metadata"), "f:spec": {} } },
      ],
    ],
    [
      "without a label",
      (one) => [{ ...one, fieldsV1: { "f:metadata": {}, "f:spec": part(one.fieldsV1, "f:spec") } }],
    ],
    [
      "with more than before",
      (one) => [
        {
          ...one,
          fieldsV1: {
            ...part({ is: one.fieldsV1 }, "is"),
            "f:spec": { ...part(one.fieldsV1, "f:spec"), "f:minReadySeconds": {} },
          },
        },
      ],
    ],
  ])("cannot be made %s", async (_, change) => {
    await expect(forged(change)).rejects.toThrow(/record of who|raises a count once/);
  });

  it("loses nothing but the count by a surge and its end, also where ten others have updated the Deployment", async () => {
    const operators = ["web-operator", "web-operator-again"];
    for (const more of [[], Array.from({ length: 12 }, (_, index) => `kubectl-${index}`)]) {
      for (const [index, fieldManager] of more.entries()) {
        const body = { metadata: { labels: { [`by-${index}`]: "x" } } };
        await apps().patchNamespacedDeployment({ ...web, body, fieldManager }, asAdministrator);
      }
      const before = (await read()).filter(({ manager = "" }) => operators.includes(manager));
      await raised();
      await ask(noted(null, { replicas: 4 }));
      const after = (await read()).filter(({ manager = "" }) => operators.includes(manager));
      const without = (all: readonly V1ManagedFieldsEntry[]) =>
        all.map((one) => {
          const { "f:replicas": _, ...spec } = Object(part(one.fieldsV1, "f:spec"));
          return { ...one, fieldsV1: { ...part({ is: one.fieldsV1 }, "is"), "f:spec": spec } };
        });
      if (more.length === 0) expect(without(after)).toEqual(without(before));
    }
    expect((await read()).map(({ manager }) => manager)).toContain("ancient-changes");
  });

  describe("that somebody has scaled as it is", () => {
    const byOperator = async () =>
      (await read()).filter(({ manager }) => manager === "web-operator");

    /** Scales it to a count once nobody else writes it. */
    const scaled = async (replicas: number, fieldManager = "web-operator") => {
      await vi.waitFor(async () => {
        const { metadata, status } = await apps().readNamespacedDeployment(web);
        expect(status?.observedGeneration).toBe(metadata?.generation);
      }, patience);
      await sleepFor(seconds(2), systemClock);
      const body = { metadata: web, spec: { replicas } };
      await apps().replaceNamespacedDeploymentScale({ ...web, body, fieldManager });
    };
    /** Records a surge to come, and leaves out managers. */
    const recordedWithout = async (isLeftOut: (one: Managed) => boolean, count: number) => {
      const managedFields = (await read()).filter((one) => !isLeftOut(one));
      const record = noted(text(count, count + 1), {});
      return ask({ ...record, metadata: { ...record.metadata, managedFields } });
    };

    beforeEach(async () => {
      const by = { ...web, fieldManager: "web-operator", body: { spec: { replicas: 5 } } };
      await apps().patchNamespacedDeployment(by, asAdministrator);
    });

    it("loses by a record alone the name that stands twice for that", async () => {
      await scaled(5);
      const [twin, ...others] = await byOperator();
      expect([twin?.time, others.length]).toEqual([undefined, 1]);
      await ask(noted(text(5, 6), {}));
      expect(await byOperator()).toEqual(others);
    });

    it("loses by a note alone the function's own name, too", async () => {
      await ask(noted(text(5, 6), { replicas: 6 }));
      await ask(noted(text(5, 5, "none"), { replicas: 5 }));
      await scaled(5);
      await ask(noted(text(5, 5, "lost"), {}));
    });

    it.each([7, 8, 9, 10, 12])(
      "is surged and gets its count back, though %i others have updated it",
      async (others) => {
        for (const index of Array.from({ length: others }).keys()) {
          const body = { metadata: { labels: { [`by-${index}`]: "x" } } };
          const by = { ...web, body, fieldManager: `operator-${index}` };
          await apps().patchNamespacedDeployment(by, asAdministrator);
        }
        const body = { metadata: { labels: { last: "x" } }, spec: { replicas: 6 } };
        const by = { ...web, body, fieldManager: "kubectl-edit" };
        await apps().patchNamespacedDeployment(by, asAdministrator);
        await scaled(6, "kubectl-edit");
        await ask(noted(text(6, 7), { replicas: 7 }));
        await ask(noted(text(6, 6, "none"), { replicas: 6 }));
      },
    );

    it("keeps what the operator has written besides", async () => {
      await scaled(5);
      const isTimed = ({ manager, time }: Managed) =>
        manager === "web-operator" && time !== undefined;
      await expect(recordedWithout(isTimed, 5)).rejects.toThrow("record of who");
    });

    it("keeps an entry without a time that has more than the count", async () => {
      const untimed = (await read()).map(({ time, ...one }) =>
        one.manager === "web-operator" ? one : { ...one, ...(time && { time }) },
      );
      const body = { metadata: { managedFields: untimed } };
      await apps().patchNamespacedDeployment({ ...web, body }, asAdministrator);
      await scaled(5);
      const isTemplates = ({ manager, fieldsV1 }: Managed) =>
        manager === "web-operator" && "f:template" in part(fieldsV1, "f:spec");
      expect((await read()).filter(isTemplates)).toHaveLength(1);
      await expect(recordedWithout(isTemplates, 5)).rejects.toThrow("record of who");
    });

    it("keeps a count that was written through the scale", async () => {
      await scaled(4);
      const ofScale = (one: Managed) => one.subresource === "scale";
      await expect(recordedWithout(ofScale, 4)).rejects.toThrow("record of who");
    });

    it("keeps a count that is alone of its name", async () => {
      const by = { ...web, fieldManager: "web-scaler", body: { spec: { replicas: 6 } } };
      await apps().patchNamespacedDeployment(by, asAdministrator);
      await scaled(6);
      const ofScaler = (one: Managed) => one.manager === "web-scaler";
      await expect(recordedWithout(ofScaler, 6)).rejects.toThrow("record of who");
    });
  });
});

describe("the records of ten managers and more", () => {
  const crowd = async () => {
    for (const index of Array.from({ length: 10 }).keys()) {
      const body = { metadata: { labels: { [`by-${index}`]: "x" } } };
      const by = { ...web, body, fieldManager: `operator-${index}` };
      await apps().patchNamespacedDeployment(by, asAdministrator);
    }
  };

  it("are no place where a change goes by that name, and its time by no clock", async () => {
    await crowd();
    const times = [hours(640_000), hours(640_000)] as const;
    const body = noted(dated(times, 4, 5), { replicas: 5 });
    const hidden = { ...web, body, fieldManager: "ancient-changes" };
    await expect(apps().patchNamespacedDeployment(hidden, merge)).rejects.toThrow(
      /times of now|record of who/,
    );
  });

  it("are not all forgotten, nor the latest, by one name that the API server gives to the oldest", async () => {
    await crowd();
    const { metadata } = await apps().readNamespacedDeployment(web);
    const all = metadata?.managedFields ?? [];
    const updated = all.filter(
      (one) => one.operation === "Update" && one.subresource === undefined,
    );
    const labels = Object.keys(metadata?.labels ?? {}).map((key) => [`f:${key}`, {}]);
    const union = Object.assign({}, ...updated.map((one) => one.fieldsV1));
    const fieldsV1 = { ...union, "f:metadata": { "f:labels": Object.fromEntries(labels) } };
    for (const gone of [updated, updated.slice(-2)]) {
      const ancient = { ...gone[0], manager: "ancient-changes", fieldsV1 };
      const managedFields = [...all.filter((one) => !gone.includes(one)), ancient];
      const surge = noted(text(4, 6), { replicas: 6 });
      const forged = () => ask({ ...surge, metadata: { ...surge.metadata, managedFields } });
      // The fence may still be that of another test, which asked for more.
      await vi.waitFor(() => expect(forged()).rejects.toThrow("record of who"), patience);
    }
    await raised();
  });
});

describe("the records of ten", () => {
  /** Writes the records of a Deployment. */
  const recorded = async (managedFields: readonly object[]) => {
    const body = { metadata: { managedFields } };
    await apps().patchNamespacedDeployment({ ...web, body }, asAdministrator);
  };
  const surge = noted(text(4, 6), { replicas: 6 });
  const tries = (body: object) =>
    apps().patchNamespacedDeployment({ ...web, body, ...tried }, merge);

  beforeEach(async () => {
    const body = { metadata: { labels: tenLabels } };
    await apps().patchNamespacedDeployment({ ...web, body }, asAdministrator);
  });

  it("stop neither a surge nor its end where the API server forgets what it has put together itself", async () => {
    // The controller of Deployments may write it between the two.
    await vi.waitFor(async () => {
      await recorded(tiedRecords("apps/v1"));
      const { metadata } = await tries(surge);
      const managers = metadata?.managedFields?.map(({ manager }) => manager);
      expect(managers).not.toContain("ancient-changes");
    }, patience);
    await recorded(tiedRecords("apps/v1"));
    await raised();
    await recorded(tiedRecords("apps/v1"));
    await ask(noted(null, { replicas: 4 }));
  });

  it("stop no autoscaler that others have updated in another version", async () => {
    const [first = {}, ...others] = tiedRecords("autoscaling/v2").slice(0, 9);
    const other = { ...first, apiVersion: "autoscaling/v1", time: "2026-11-20T10:00:00Z" };
    const managedFields = [other, first, ...others];
    const body = { metadata: { labels: tenLabels } };
    const by = (change: object) =>
      scaling().patchNamespacedHorizontalPodAutoscaler({ ...web, body: change }, asAdministrator);
    await by(body);
    await by({ metadata: { managedFields } });
    const { metadata } = await askScaler(noted(text(2, 3), { minReplicas: 3 }));
    const managers = metadata?.managedFields?.map(({ manager }) => manager);
    expect(managers).not.toContain("ancient-changes");
  });

  it.each(forgeries)("are not changed by a surge that $what", async ({ before, forge }) => {
    await vi.waitFor(async () => {
      await recorded(before("apps/v1", { "f:spec": { "f:replicas": {} } }));
      await tries(surge);
      const { metadata } = await apps().readNamespacedDeployment(web);
      const managedFields = forge(metadata?.managedFields ?? []);
      const forged = tries({ ...surge, metadata: { ...surge.metadata, managedFields } });
      await expect(forged).rejects.toThrow("record of who");
    }, patience);
  });
});

describe("where only what asks for it is surged", () => {
  const fenced = (makeRoom: "annotated" | "on") => deployRights(controlPlane, { makeRoom });
  const trial = () =>
    apps().patchNamespacedDeployment(
      { ...web, ...tried, body: noted(text(4, 5), { replicas: 5 }) },
      merge,
    );
  const asks = (body: object) =>
    apps().patchNamespacedDeployment({ ...web, body }, asAdministrator);
  const why = "has not asked for it";

  beforeAll(() => fenced("annotated"));
  afterAll(() => fenced("on"));

  it("a Deployment gets no pod more, by itself or by an autoscaler, but with its own annotation or its namespace's", async () => {
    await expect(trial()).rejects.toThrow(why);
    const raise = noted(text(0, 1), { minReplicaCount: 1 });
    await expect(askKeda(raise, tried)).rejects.toThrow(why);
    await namespaceSays("on");
    await vi.waitFor(trial, patience);
    await namespaceSays(null);
    await vi.waitFor(() => expect(trial()).rejects.toThrow(why), patience);
    await asks({ metadata: { annotations: { [makeRoomAnnotation]: "on" } } });
    await trial();
    await vi.waitFor(() => askKeda(raise, tried), patience);
  });
});

describe("an autoscaler", () => {
  const read = async () =>
    (await scaling().readNamespacedHorizontalPodAutoscaler(web)).metadata?.managedFields ?? [];
  /** An entry of the function's own that says when it has written the record. */
  const forgedAt = (time: string) => ({
    manager: "eks-node-lifecycle",
    operation: "Update",
    apiVersion: "autoscaling/v1",
    fieldsType: "FieldsV1",
    time,
    fieldsV1: { "f:metadata": { "f:annotations": { [`f:${recordAnnotation}`]: {} } } },
  });

  it("is not raised again by a record whose count its owner has set since, in whatever time the function says that it has written it", async () => {
    const body = noted(text(2, 7), { minReplicas: 7 });
    const first = controlPlane.api(AutoscalingV1Api);
    await first.patchNamespacedHorizontalPodAutoscaler({ ...web, body }, merge);
    const owners = { spec: { minReplicas: 2 } };
    await scaling().patchNamespacedHorizontalPodAutoscaler(
      { ...web, body: owners },
      asAdministrator,
    );
    const time = "2020-01-01T00:00:00Z";
    const managedFields = (await read()).map((one) =>
      one.manager === "eks-node-lifecycle" ? { ...one, time } : one,
    );
    const again = askScaler({ metadata: { managedFields }, spec: { minReplicas: 7 } });
    await expect(again).rejects.toThrow(once);
  });

  it("gets no old record of others with its label, in whatever time the function says that it has written it", async () => {
    const record = dated([hours(-48), minutes(-47 * 60 - 30)], 2, 7);
    const body = { metadata: { annotations: { [recordAnnotation]: record } } };
    await scaling().patchNamespacedHorizontalPodAutoscaler({ ...web, body }, asAdministrator);
    const [, , , , , since = ""] = record.split(" ");
    const managedFields = [...(await read()), forgedAt(since.replace(/\.\d+Z/, "Z"))];
    const labels = { [recordLabel]: labelOf(record) };
    const adopted = askScaler({ metadata: { labels, managedFields }, spec: { minReplicas: 7 } });
    await expect(adopted).rejects.toThrow("times of now");
  });

  it("gets no record of the future by the time of an entry that somebody has forged", async () => {
    const before = await read();
    const forged = forgedAt("2099-01-01T00:00:00Z");
    const year2099 = dated([hours(632_000), hours(632_000)], 2, 3);
    const { metadata: own, spec } = noted(year2099, { minReplicas: 3 });
    for (const apiVersion of ["autoscaling/v1", "autoscaling/v2"]) {
      const managedFields = [...before, { ...forged, apiVersion }];
      const changed = askScaler({ metadata: { ...own, managedFields }, spec });
      await expect(changed).rejects.toThrow(/times of now|record of who/);
    }
  });

  it("gets a higher least count with a record, and its own back", async () => {
    await scaling().patchNamespacedHorizontalPodAutoscalerStatus(
      { ...web, body: { status: { currentReplicas: 2, desiredReplicas: 2 } } },
      asAdministrator,
    );
    await askScaler(noted(text(2, 3), { minReplicas: 3 }));
    await expect(askScaler(noted(null, { minReplicas: 1 }))).rejects.toThrow(lowers);
    await askScaler(noted(null, { minReplicas: 2 }));
  });

  it("gets five more than its own at the most, however many pods an earlier surge has left and however often it is put back", async () => {
    for (const currentReplicas of [4, 9, 14]) {
      await scaling().patchNamespacedHorizontalPodAutoscalerStatus(
        { ...web, body: { status: { currentReplicas, desiredReplicas: currentReplicas } } },
        asAdministrator,
      );
      await expect(askScaler(noted(text(2, 8), { minReplicas: 8 }))).rejects.toThrow(keeps);
      await askScaler(noted(text(2, 7), { minReplicas: 7 }));
      await askScaler(noted(null, { minReplicas: 2 }));
    }
  });

  it("gets no more than its most", async () => {
    const body = { spec: { maxReplicas: 4 } };
    await scaling().patchNamespacedHorizontalPodAutoscaler({ ...web, body }, asAdministrator);
    const beyond = askScaler(noted(text(2, 5), { minReplicas: 5 }));
    await expect(beyond).rejects.toThrow(/changes no record|minReplicas/);
  });

  const aims = (kind: string, name: string, apiVersion = "apps/v1") =>
    scaling().patchNamespacedHorizontalPodAutoscaler(
      { ...web, body: { spec: { scaleTargetRef: { apiVersion, kind, name } } } },
      asAdministrator,
    );

  it.each<[string, object]>(unfit)("is not raised for a Deployment that %s", async (_, change) => {
    await aims("Deployment", web.name);
    await apps().patchNamespacedDeployment({ ...web, body: change }, asAdministrator);
    const raise = noted(text(2, 3), { minReplicas: 3 });
    await vi.waitFor(() => expect(askScaler(raise, tried)).rejects.toThrow(behind), patience);
  });

  it("is raised for a bare ReplicaSet only if the autoscaler itself or its namespace asks for it", async () => {
    await aims("ReplicaSet", "bare");
    await expect(askScaler(noted(text(2, 3), { minReplicas: 3 }))).rejects.toThrow("has not asked");
    await scaling().patchNamespacedHorizontalPodAutoscaler(
      { ...web, body: { metadata: { annotations: { [makeRoomAnnotation]: "on" } } } },
      asAdministrator,
    );
    await askScaler(noted(text(2, 3), { minReplicas: 3 }));
  });

  it("is not raised where a ScaledObject keeps it, which is raised itself", async () => {
    // One that is not there would have it removed.
    const { metadata } = await custom().getNamespacedCustomObject(scaledWeb);
    const { name } = web;
    const owner = { apiVersion: "keda.sh/v1alpha1", kind: "ScaledObject", name, uid: metadata.uid };
    const body = { metadata: { ownerReferences: [owner] } };
    await scaling().patchNamespacedHorizontalPodAutoscaler({ ...web, body }, asAdministrator);
    const raise = askScaler(noted(text(2, 3), { minReplicas: 3 }));
    await expect(raise).rejects.toThrow("that a ScaledObject keeps");
  });

  it.each([
    ["StatefulSet", "apps/v1"],
    ["Deployment", "example.com/v1"],
  ])("is not raised for a %s of %s", async (kind, apiVersion) => {
    await aims(kind, "web", apiVersion);
    const why = "only Deployments and ReplicaSets";
    await expect(askScaler(noted(text(2, 3), { minReplicas: 3 }))).rejects.toThrow(why);
  });

  it.each([
    ["a least count without a record", { spec: { minReplicas: 3 } }, once],
    ["a record alone", noted(text(2, 3), {}), /only as it raises it|changes no record/],
    ["a far higher one", noted(text(2, 9), { minReplicas: 9 }), keeps],
    ["another most", noted(text(2, 3), { minReplicas: 3, maxReplicas: 99 }), onlyCount],
    [
      "metrics",
      {
        spec: {
          metrics: [
            {
              type: "Resource",
              resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 1 } },
            },
          ],
        },
      },
      onlyCount,
    ],
    ["another target", { spec: { scaleTargetRef: { name: "other" } } }, onlyCount],
  ])("does not get %s", async (_, body, why) => {
    await expect(askScaler(body)).rejects.toThrow(why);
  });
});

describe("a ReplicaSet", () => {
  const named = { namespace: web.namespace, name: "bare" };

  beforeEach(async () => {
    await ifThere(apps().deleteNamespacedReplicaSet(named));
    const { selector, template } = deployment.spec;
    const annotations = { "eks-node-lifecycle/make-room": "on" };
    const body = { metadata: { ...named, annotations }, spec: { replicas: 2, selector, template } };
    await vi.waitFor(() => apps().createNamespacedReplicaSet({ ...named, body }), patience);
  });

  it("gets one pod more that nobody owns, with a record, and its count back", async () => {
    await askSet(noted(text(2, 3), { replicas: 3 }));
    await expect(askSet(noted(text(3, 4), { replicas: 4 }))).rejects.toThrow(keeps);
    await expect(askSet(noted(null, { replicas: 1 }))).rejects.toThrow(lowers);
    await askSet(noted(null, { replicas: 2 }));
  });

  it.each([
    ["two pods more", noted(text(2, 4), { replicas: 4 }), keeps],
    ["a count without a record", { spec: { replicas: 3 } }, once],
    ["no pods", { spec: { replicas: 0 } }, lowers],
    ["a longer time to come up", { spec: { minReadySeconds: 9 } }, onlyCount],
    [
      "another image",
      { spec: { template: { spec: { containers: [{ ...container, image: "evil:1" }] } } } },
      onlyCount,
    ],
  ])("does not get %s", async (_, body, why) => {
    await expect(askSet(body)).rejects.toThrow(why);
  });

  it("gets nothing unless its owner has asked for it", async () => {
    const body = { metadata: { annotations: { "eks-node-lifecycle/make-room": null } } };
    await apps().patchNamespacedReplicaSet({ ...named, body }, asAdministrator);
    await expect(askSet(noted(text(2, 3), { replicas: 3 }))).rejects.toThrow("has not asked");
  });

  it("gets nothing that a Deployment owns", async () => {
    const owned = await vi.waitFor(async () => {
      const { items } = await apps().listNamespacedReplicaSet({ namespace: web.namespace });
      const found = items.find(({ metadata }) => metadata?.ownerReferences?.[0]?.name === "web");
      expect(found).toBeDefined();
      return found?.metadata?.name;
    }, patience);
    await expect(askSet(noted(text(4, 5), { replicas: 5 }), owned)).rejects.toThrow(
      "somebody owns",
    );
    await expect(
      apps().deleteNamespacedReplicaSet({ ...web, name: owned ?? "" }, asTheFunction),
    ).rejects.toThrow("cannot delete");
  });
});

describe("a ScaledObject", () => {
  // Its Deployment may still be as the test before has left it, for the policy that asks about it.
  beforeEach(() =>
    vi.waitFor(() => askKeda(noted(text(0, 1), { minReplicaCount: 1 }), tried), patience),
  );

  it("gets a higher least count with a record, and its own back", async () => {
    await askKeda(noted(text(0, 2), { minReplicaCount: 2 }));
    await expect(askKeda(noted(text(2, 3), { minReplicaCount: 3 }))).rejects.toThrow(keeps);
    await expect(askKeda(noted(null, { minReplicaCount: 1 }))).rejects.toThrow(lowers);
    await askKeda(noted(null, { minReplicaCount: 0 }));
  });

  it("gets five more at the most, whatever its most is", async () => {
    const most = (maxReplicaCount: number) =>
      custom().patchNamespacedCustomObject(
        { ...scaledWeb, body: { spec: { maxReplicaCount } } },
        asAdministrator,
      );
    await most(50);
    await expect(askKeda(noted(text(0, 50), { minReplicaCount: 50 }))).rejects.toThrow(keeps);
    await expect(askKeda(noted(text(0, 6), { minReplicaCount: 6 }))).rejects.toThrow(keeps);
    await askKeda(noted(text(0, 5), { minReplicaCount: 5 }));
    await askKeda(noted(null, { minReplicaCount: 0 }));
    await most(5);
  });

  it.each([
    ["a least count without a record", { spec: { minReplicaCount: 3 } }, once],
    ["one above its most", noted(text(0, 6), { minReplicaCount: 6 }), keeps],
    ["another most", noted(text(0, 1), { minReplicaCount: 1, maxReplicaCount: 99 }), onlyCount],
    ["a trigger", { spec: { triggers: [{ type: "cpu" }] } }, onlyCount],
    ["another target", { spec: { scaleTargetRef: { name: "other" } } }, onlyCount],
    ["something new", { spec: { pollingInterval: 1 } }, onlyCount],
    [
      "a pause",
      noted(text(0, 1), { minReplicaCount: 1 }, { "autoscaling.keda.sh/paused": "true" }),
      /changes no annotation/,
    ],
  ])("does not get %s", async (_, body, why) => {
    await expect(askKeda(body)).rejects.toThrow(why);
  });

  it.each<[string, object]>(unfit)("is not raised for a Deployment that %s", async (_, change) => {
    await apps().patchNamespacedDeployment({ ...web, body: change }, asAdministrator);
    const raise = noted(text(0, 1), { minReplicaCount: 1 });
    await vi.waitFor(() => expect(askKeda(raise, tried)).rejects.toThrow(behind), patience);
  });

  it("is neither removed nor replaced", async () => {
    await expect(custom().deleteNamespacedCustomObject(scaledWeb, asTheFunction)).rejects.toThrow(
      "cannot delete",
    );
  });
});

describe("a pod", () => {
  const forgedPod = {
    operation: "Update",
    apiVersion: "v1",
    fieldsType: "FieldsV1",
    fieldsV1: { "f:spec": { "f:terminationGracePeriodSeconds": {} } },
  };

  it("may be the one that its ReplicaSet ends first, or the next to that", async () => {
    await askPod(cheap);
    await askPod({ metadata: { annotations: { [costAnnotation]: unneededCost } } });
  });

  it("is not the one that its ReplicaSet ends first if its owner says so", async () => {
    const own = (drain: string | null) =>
      core().patchNamespacedPod(
        { ...web, body: { metadata: { annotations: { "eks-node-lifecycle/drain": drain } } } },
        asAdministrator,
      );
    await own("Skip");
    await expect(askPod(cheap)).rejects.toThrow(/changes nodes, and|cannot patch/);
    await own(null);
  });

  it("is not the one that its ReplicaSet ends first if its namespace is off", async () => {
    await namespaceSays("off");
    await expect(askPod(cheap)).rejects.toThrow(onlyNodes);
    await namespaceSays(null);
  });

  it.each([
    ["another cost", { metadata: { annotations: { [costAnnotation]: "100" } } }],
    ["a cost next to those", { metadata: { annotations: { [costAnnotation]: "-2147483645" } } }],
    ["the lowest cost of all", { metadata: { annotations: { [costAnnotation]: "-2147483648" } } }],
    ["another annotation", { metadata: { annotations: { "example.com/x": "" } } }],
    ["a label", { metadata: { labels: { app: "x" } } }],
    ["another image", { spec: { containers: [{ name: "web", image: "evil:1" }] } }],
    ["a finalizer", { metadata: { finalizers: ["example.com/stays"] } }],
    [
      "an owner",
      { metadata: { ownerReferences: [{ apiVersion: "v1", kind: "Pod", name: "a", uid: "b" }] } },
    ],
  ])("does not get %s", async (_, body) => {
    await expect(askPod(body)).rejects.toThrow(/changes nodes, and|cannot patch/);
  });

  it.each<[string, (all: readonly V1ManagedFieldsEntry[]) => readonly object[]]>([
    ["a forged record of managers", () => [{}]],
    ["a manager named kubectl-anything", (all) => [...all, { ...forgedPod, manager: "kubectl-x" }]],
    ["a manager of fields less", (all) => all.filter(({ manager }) => manager !== "pod-operator")],
    [
      "another name for a manager",
      (all) =>
        all.map((one) =>
          one.manager === "pod-operator" ? { ...one, manager: "eks-node-lifecycle" } : one,
        ),
    ],
    [
      "a field of the function's own",
      (all) => [...all, { ...forgedPod, manager: "eks-node-lifecycle" }],
    ],
  ])("does not get %s with the cost", async (_, change) => {
    const labels = { [`at-${Date.now()}`]: "x" };
    const body = { metadata: { labels } };
    await core().patchNamespacedPod(
      { ...web, body, fieldManager: "pod-operator" },
      asAdministrator,
    );
    const { metadata } = await core().readNamespacedPod(web);
    const managedFields = change(metadata?.managedFields ?? []);
    const cheap = { annotations: { [costAnnotation]: lowestCost }, managedFields };
    const merged = core().patchNamespacedPod({ ...web, body: { metadata: cheap } }, merge);
    await expect(merged).rejects.toThrow("record of who manages");
  });
});
