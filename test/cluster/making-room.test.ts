import {
  AppsV1Api,
  AutoscalingV2Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  PatchStrategy,
  setHeaderOptions,
  type V1PodSpec,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { KubeconfigClient } from "../../cli/connect/kubeconfig-client.ts";
import { main } from "../../cli/main.ts";
import { productName } from "../../lambda/base/contract.ts";
import { between, seconds } from "../../lambda/base/time.ts";
import { KubeCluster } from "../../lambda/kubernetes/kube-cluster.ts";
import { roomCluster } from "../../lambda/kubernetes/making-room/room-cluster.ts";
import { putRoomBack } from "../../lambda/making-room/give-back.flow.ts";
import { KnownSurges } from "../../lambda/making-room/known-surges.ts";
import {
  labelOf,
  recordAnnotation,
  recordLabel,
  recordText,
} from "../../lambda/making-room/record.ts";
import { makeRoomAnnotation } from "../../lambda/making-room/room-refusal.ts";
import type { Journal } from "../../lambda/notice/journal.port.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { capturedIo } from "../cli/captured-io.ts";
import { jsonLines } from "../cli/json-lines-schema.ts";
import { noon, someSettings } from "../support/builders.ts";
import { deployment, podDisruptionBudget, replicaSet } from "./manifests.ts";
import {
  beginOn,
  numbered,
  onlyOn,
  patience,
  type RoomWorld,
  startRoomWorld,
} from "./room-world.ts";
import { playKeda, scaledObjects } from "./scaled-objects.ts";

const parts = numbered("part", 4);
const alone = ["single", "strict", "counted", "queued", "bare"];
// Its new pods are ready when somebody says so.
const unready = "rolling";
const kept = "argo";
const shared = "shared";
const annotations = { "hollow/ready-after": "3" };
const single = { minAvailable: 1 };
const strict = { maxUnavailable: 0 };
/** Pods that are on one node, from which they keep those of an app. */
const apartFrom = (app: string, node: string) => ({
  nodeAffinity: onlyOn(node),
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { topologyKey: "kubernetes.io/hostname", labelSelector: { matchLabels: { app } } },
    ],
  },
});
const merge = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
const inDefault = (name: string) => ({ name, namespace: "default" });

describe("room that is made first, on a real control plane", () => {
  let world: RoomWorld;
  let stopKeda: (() => Promise<void>) | undefined;
  const apps = () => world.controlPlane.api(AppsV1Api);
  const scaling = () => world.controlPlane.api(AutoscalingV2Api);
  const kubectl = (...args: readonly string[]) => world.controlPlane.kubectlText(...args);
  const podsOf = async (app: string) => {
    const own = { namespace: "default", labelSelector: `app=${app}` };
    return (await world.controlPlane.api(CoreV1Api).listNamespacedPod(own)).items;
  };
  const has = (app: string, pods: number) =>
    vi.waitFor(async () => expect(await podsOf(app)).toHaveLength(pods), patience);
  const setReady = (app: string) =>
    kubectl("annotate", "pods", `--selector=app=${app}`, "hollow/ready=true", "--overwrite");
  const patch = (app: string, spec: object) =>
    kubectl("patch", `deployment/${app}`, "--patch", JSON.stringify({ spec }));
  /** What `plan` says about room. */
  const plannedOn = async (...nodes: readonly string[]) => {
    const io = capturedIo();
    const options = ["--kubeconfig", world.controlPlane.kubeconfig, "--set", "DRAIN_MAKE_ROOM=on"];
    await main(["plan", ...options, ...nodes, "--json"], io);
    const { room, exitCode } = jsonLines(io).at(-1) ?? {};
    return { room, exitCode };
  };
  const recordsOf = async (app: string) =>
    (await world.recorded()).filter((name) => name === app).length;

  beforeAll(async () => {
    world = await startRoomWorld([...parts, ...alone, unready, kept, shared, "shy", "guarded"]);
    const budget = (app: string, allows: typeof single | typeof strict) =>
      podDisruptionBudget({ name: app, app, allows });
    const one = (name: string, spec: Partial<V1PodSpec> = beginOn(name, [name])) =>
      deployment({ name, annotations, spec });
    const bare = replicaSet({ name: "bare", annotations, spec: beginOn("bare", ["bare"]) });
    const asks = { ...bare.metadata, annotations: { [makeRoomAnnotation]: "on" } };
    const matchExpressions = [
      { key: "app", operator: "In", values: [shared, "guard"] },
      { key: "app", operator: "NotIn", values: ["shy"] },
      { key: "app", operator: "Exists" },
      { key: "canary", operator: "DoesNotExist" },
    ];
    const sharedBudget = {
      ...budget(shared, single),
      spec: { minAvailable: 2, selector: { matchExpressions } },
    };
    await world.controlPlane.apply(
      ...["single", "strict", "counted", "queued"].map((name) => one(name)),
      { ...bare, metadata: asks },
      budget("bare", strict),
      budget("single", single),
      budget("strict", strict),
      budget("counted", single),
      budget("queued", single),
      deployment({ name: "part", replicas: 4, annotations, spec: beginOn("part", parts) }),
      budget("part", strict),
      deployment({
        name: unready,
        annotations: { "hollow/ready": "false" },
        spec: beginOn(unready, [unready]),
      }),
      budget(unready, single),
      one(kept),
      budget(kept, single),
      one(shared),
      sharedBudget,
      deployment({ name: "guard", spec: { affinity: apartFrom("shy", "guarded") } }),
    );
    await world.isOn("guard", "guarded");
    const eitherSide = {
      ...beginOn("shy", []),
      affinity: { nodeAffinity: onlyOn("shy", "guarded") },
    };
    await world.controlPlane.apply(one("shy", eitherSide), budget("shy", single));
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "counted" };
    const spec = { scaleTargetRef, minReplicas: 1, maxReplicas: 3 };
    const body = { metadata: { name: "counted" }, spec };
    await scaling().createNamespacedHorizontalPodAutoscaler({ namespace: "default", body });
    stopKeda = await playKeda(world.controlPlane, inDefault("queued"));
    await has(unready, 1);
    await setReady(unready);
    for (const app of [...alone, unready, kept, shared, "shy"]) await world.isOn(app, app);
    await world.isOn("part", ...parts);
  }, 900_000);
  afterAll(async () => {
    await stopKeda?.();
    await world?.stop();
  });

  it.concurrent("moves every pod, never with fewer ready ones, and with one pod made for each that goes", async () => {
    const counts = ["single", "strict", "counted", "queued"];
    const foreseen = (workload: string, from = 1) => ({ workload, from, to: from + 1, why: "" });
    const room = [
      foreseen("Deployment default/counted"),
      foreseen("Deployment default/part", 4),
      ...["queued", "single", "strict"].map((name) => foreseen(`Deployment default/${name}`)),
      foreseen("ReplicaSet default/bare"),
    ];
    await expect.poll(() => plannedOn(...alone, ...parts), patience).toEqual({ room, exitCode: 0 });
    await world.drain(...alone, ...parts);
    for (const app of [...counts, "part"])
      await vi.waitFor(async () => expect(await recordsOf(app)).toBe(0), patience);
    for (const app of counts)
      expect([app, await world.figuresOf(app, 1)]).toEqual([app, { floor: 1, made: 2, count: 1 }]);
    const many = await world.figuresOf("part", 4);
    expect(many).toMatchObject({ floor: 4, count: 4 });
    expect(many.made).toBeLessThanOrEqual(9);
    for (const app of [...alone, "part"])
      expect(world.toldOf(app).filter(({ stage }) => stage === "given up")).toEqual([]);
    const keda = { ...scaledObjects, ...inDefault("queued") };
    await vi.waitFor(async () => {
      const bare = await apps().readNamespacedReplicaSet(inDefault("bare"));
      expect(bare.spec?.replicas).toBe(1);
      expect(bare.metadata?.annotations?.[recordAnnotation]).toMatch(/^none: 1 to 1 /);
      const scaler = await scaling().readNamespacedHorizontalPodAutoscaler(inDefault("counted"));
      expect(scaler.spec?.minReplicas).toBe(1);
      const queued = await world.controlPlane.api(CustomObjectsApi).getNamespacedCustomObject(keda);
      expect(queued.spec.minReplicaCount).toBe(0);
      expect(queued.metadata.annotations ?? {}).not.toHaveProperty([recordAnnotation]);
    }, patience);
  }, 900_000);

  it.concurrent("puts back what is left raised beside a tenant whose objects nobody can read, and names what it skips", async () => {
    const body = { metadata: { name: "tenant" } };
    await world.controlPlane.api(CoreV1Api).createNamespace({ body });
    const up = recordText({ phase: "up", was: 1, is: 2, since: noon, until: noon, why: "node x" });
    const fieldManager = productName;
    const noted = (name: string, record = up) => ({
      name,
      labels: { [recordLabel]: labelOf(up) },
      annotations: { [recordAnnotation]: record, big: "x".repeat(name === "left" ? 0 : 200_000) },
    });
    const scalerOf = (name: string, target: string) => {
      const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: target };
      const spec = { scaleTargetRef, minReplicas: 2, maxReplicas: 3 };
      return scaling().createNamespacedHorizontalPodAutoscaler({
        namespace: "tenant",
        body: { metadata: noted(name), spec },
        fieldManager,
      });
    };
    // The API server looks at the target of its own autoscalers, and not at that of KEDA's.
    const parent = {
      apiVersion: "keda.sh/v1alpha1",
      kind: "ScaledObject",
      metadata: noted("parent"),
    };
    await world.controlPlane.api(CustomObjectsApi).createNamespacedCustomObject({
      ...scaledObjects,
      namespace: "tenant",
      fieldManager,
      body: { ...parent, spec: { scaleTargetRef: { name: ".." }, triggers: [] } },
    });
    await scalerOf("endless", "x".repeat(70_000));
    const { spec } = replicaSet({ name: "many", replicas: 0 });
    for (let index = 0; index < 60; index += 1)
      await apps().createNamespacedReplicaSet({
        namespace: "tenant",
        fieldManager,
        body: { metadata: noted(`many-${index}`, "hello"), spec },
      });
    for (const name of ["left", "lost", "undone"]) {
      const left = deployment({ name, replicas: 2, spec: { nodeSelector: { no: "node" } } });
      const metadata = { ...left.metadata, ...noted("left"), name };
      const mine = { namespace: "default", body: { ...left, metadata }, fieldManager };
      await apps().createNamespacedDeployment(mine);
    }
    // As `kubectl rollout undo` does, and twice.
    for (const [name, record] of [
      ["lost", null],
      ["undone", null],
      ["undone", up],
    ] as const) {
      const body = { metadata: { annotations: { [recordAnnotation]: record } } };
      await apps().patchNamespacedDeployment({ ...inDefault(name), body }, merge);
    }
    const kubeConfig = new KubeConfig();
    kubeConfig.loadFromFile(world.controlPlane.kubeconfig);
    const clock = { ...systemClock, asks: () => () => undefined };
    const client = new KubeconfigClient(kubeConfig, clock);
    const cluster = new KubeCluster(client, clock);
    const faults: unknown[] = [];
    const journal: Journal = {
      record(entry) {
        if (entry.kind === "fault") faults.push(entry);
      },
    };
    const begun = systemClock.now();

    const room = roomCluster({ client, clock, cluster });
    const ports = { clock: systemClock, cluster: room, journal, known: new KnownSurges() };
    const skipped = await putRoomBack(someSettings({ makeRoom: "on" }), ports, []);

    expect(between(begun, systemClock.now())).toBeLessThan(seconds(20));
    expect((await apps().readNamespacedDeployment(inDefault("left"))).spec?.replicas).toBe(1);
    for (const name of ["lost", "undone"]) {
      const { metadata, spec } = await apps().readNamespacedDeployment(inDefault(name));
      expect([spec?.replicas, metadata?.labels?.[recordLabel]]).toEqual([2, undefined]);
      expect(metadata?.annotations?.[recordAnnotation]).toMatch(/^lost: 2 to 2 /);
    }
    const told = skipped.map(({ about, why }) => `${about}: ${why}`).toSorted();
    expect([faults, told]).toEqual([
      [],
      [
        expect.stringMatching(/^HorizontalPodAutoscaler tenant\/endless: .*70000 characters/),
        expect.stringMatching(/^ScaledObject tenant\/parent: .*no object can have/),
        expect.stringMatching(/^namespace tenant: more than 50 replicasets, or 2 MB of them/),
      ],
    ]);
  }, 900_000);

  it.concurrent("surges nothing in a rollout, whose new pod takes the place of the old one as soon as it is ready", async () => {
    await patch("rolling", { template: { metadata: { annotations: { again: "" } } } });
    await has("rolling", 2);
    const drained = world.drain("rolling");
    const waits = "room is made once all pods of deployment/rolling are ready";
    await vi.waitFor(
      () => expect(world.log.some((line) => line.includes(waits))).toBe(true),
      patience,
    );
    expect(await world.figuresOf("rolling", 1)).toMatchObject({ floor: 1, count: 1 });
    await has("rolling", 2);
    await setReady("rolling");
    await drained;
    const figures = await world.figuresOf("rolling", 1);
    expect(figures).toMatchObject({ floor: 1, count: 1 });
    expect(figures.made).toBeLessThanOrEqual(3);
    expect(world.toldOf("rolling")).toEqual([]);
  }, 900_000);

  it.concurrent("surges nothing whose count Argo CD keeps, and says so", async () => {
    const metadata = inDefault(kept);
    const body = { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { replicas: 1 } };
    const by = { fieldManager: "argocd-controller", force: true };
    const applying = setHeaderOptions("Content-Type", PatchStrategy.ServerSideApply);
    await apps().patchNamespacedDeployment({ ...metadata, body, ...by }, applying);
    world.terminate(world.instanceOf(kept));
    const why = "argocd-controller keeps its count, and would put it back";
    const refused = expect.objectContaining({ stage: "not tried", why });
    await vi.waitFor(() => expect(world.toldOf(kept)).toEqual([refused]), patience);
    expect(await world.figuresOf(kept, 1)).toEqual({ floor: 1, made: 1, count: 1 });
  }, 900_000);

  it.concurrent("surges nothing whose budget also selects a pod of another Deployment, and says so", async () => {
    const why = expect.stringMatching(
      /^its budget also selects pods of others, such as default\/guard-/,
    );
    world.terminate(world.instanceOf(shared));
    const refused = expect.objectContaining({ stage: "not tried", why });
    await vi.waitFor(() => expect(world.toldOf(shared)).toEqual([refused]), patience);
    expect(await world.figuresOf(shared, 1)).toEqual({ floor: 1, made: 1, count: 1 });
  }, 900_000);

  it.concurrent("puts a surge back for which the scheduler finds no node after all, and says what it says", async () => {
    world.terminate(world.instanceOf("shy"));
    const told = () => world.toldOf("shy").map(({ stage }) => stage);
    await vi.waitFor(() => expect(told()).toEqual(["surged", "given up"]), patience);
    expect(world.toldOf("shy").at(-1)?.why).toMatch(/nodes are available: .*anti-affinity/);
    expect(await world.figuresOf("shy", 1)).toEqual({ floor: 1, made: 2, count: 1 });
  }, 900_000);
});
