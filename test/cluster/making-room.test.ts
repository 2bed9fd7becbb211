import {
  AppsV1Api,
  AutoscalingV2Api,
  CoreV1Api,
  CustomObjectsApi,
  PatchStrategy,
  setHeaderOptions,
} from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { main } from "../../cli/main.ts";
import { recordAnnotation } from "../../lambda/making-room/record.ts";
import { makeRoomAnnotation } from "../../lambda/making-room/room-refusal.ts";
import { demoNode } from "../../sandbox/scenarios/demo-ng.ts";
import { capturedIo } from "../cli/captured-io.ts";
import { jsonLines } from "../cli/json-lines-schema.ts";
import { deployment, podDisruptionBudget, replicaSet } from "./manifests.ts";
import { roleEnvironment } from "./role-environment.ts";
import {
  beginOn,
  numbered,
  onlyOn,
  patience,
  type RoomWorld,
  startRoomWorld,
} from "./room-world.ts";
import { playKeda, scaledObjects } from "./scaled-objects.ts";
import { claim, volume } from "./volumes.ts";

const parts = numbered("part", 4);
const alone = ["single", "strict", "counted", "queued", "bare"];
// Their new pods are ready when somebody says so.
const unready = ["scaled", "rolling"];
const crowded = ["full", "big"];
// Who writes the counts of their manifests again and again, and a Deployment of each.
const keepers = { argo: "argocd-controller", flux: "kustomize-controller" };
const kept = Object.keys(keepers);
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
  /** What `plan` or `status` says about room. */
  const roomIn = async (...command: readonly string[]) => {
    const io = capturedIo();
    await main([...command, "--json"], io);
    const { room } = jsonLines(io).at(-1) ?? {};
    return room;
  };
  const plannedOn = (...nodes: readonly string[]) => {
    const { kubeconfig } = world.controlPlane;
    return roomIn("plan", "--kubeconfig", kubeconfig, "--set", "DRAIN_MAKE_ROOM=on", ...nodes);
  };
  const recordsOf = async (app: string) =>
    (await world.recorded()).filter((name) => name === app).length;

  beforeAll(async () => {
    world = await startRoomWorld([
      ...parts,
      ...alone,
      ...unready,
      "claimed",
      ...crowded,
      ...kept,
      "shy",
      "guarded",
    ]);
    const budget = (app: string, allows: typeof single | typeof strict) =>
      podDisruptionBudget({ name: app, app, allows });
    const one = (name: string, more: object = {}) =>
      deployment({ name, annotations, spec: { ...beginOn(name, [name]), ...more } });
    const bare = replicaSet({ name: "bare", annotations, spec: beginOn("bare", ["bare"]) });
    const asks = { ...bare.metadata, annotations: { [makeRoomAnnotation]: "on" } };
    const volumes = [{ name: "data", persistentVolumeClaim: { claimName: "claimed" } }];
    await world.controlPlane.apply(
      ...["single", "strict", "counted", "queued"].map((name) => one(name)),
      ...[{ ...bare, metadata: asks }, budget("bare", strict)],
      ...[budget("single", single), budget("strict", strict)],
      ...[budget("counted", single), budget("queued", single)],
      deployment({ name: "part", replicas: 4, annotations, spec: beginOn("part", parts) }),
      budget("part", strict),
      ...unready.map((name) => {
        const never = { "hollow/ready": "false" };
        return deployment({ name, annotations: never, spec: beginOn(name, [name]) });
      }),
      ...unready.map((name) => budget(name, single)),
      ...[volume({ name: "default" }, "claimed"), claim({ name: "default" }, "claimed")],
      ...[one("claimed", { volumes }), budget("claimed", single)],
      ...kept.flatMap((name) => [one(name), budget(name, single)]),
      deployment({ name: "guard", spec: { affinity: apartFrom("shy", "guarded") } }),
    );
    await world.isOn("guard", "guarded");
    const eitherSide = { affinity: { nodeAffinity: onlyOn("shy", "guarded") } };
    await world.controlPlane.apply(one("shy", eitherSide), budget("shy", single));
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "counted" };
    const spec = { scaleTargetRef, minReplicas: 1, maxReplicas: 3 };
    const body = { metadata: { name: "counted" }, spec };
    await scaling().createNamespacedHorizontalPodAutoscaler({ namespace: "default", body });
    stopKeda = await playKeda(world.controlPlane, inDefault("queued"));
    for (const app of unready) {
      await has(app, 1);
      await setReady(app);
    }
    for (const app of [...alone, ...unready, "claimed", ...kept, "shy"]) await world.isOn(app, app);
    await world.isOn("part", ...parts);
  }, 900_000);
  afterAll(async () => {
    await stopKeda?.();
    await world?.stop();
  });

  it("moves every pod, never with fewer ready ones, and with one pod made for each that goes", async () => {
    const counts = ["single", "strict", "counted", "queued"];
    const foreseen = (workload: string, from = 1) => ({ workload, from, to: from + 1, why: "" });
    expect(await plannedOn(...alone, ...parts)).toEqual([
      foreseen("Deployment default/counted"),
      foreseen("Deployment default/part", 4),
      ...["queued", "single", "strict"].map((name) => foreseen(`Deployment default/${name}`)),
      foreseen("ReplicaSet default/bare"),
    ]);
    await world.drain(...alone, ...parts);
    for (const app of [...counts, "part"])
      await vi.waitFor(async () => expect(await recordsOf(app)).toBe(0), patience);
    for (const app of counts)
      expect([app, await world.figuresOf(app, 1)]).toEqual([app, { floor: 1, made: 2, count: 1 }]);
    const many = await world.figuresOf("part", 4);
    expect(many).toMatchObject({ floor: 4, count: 4 });
    expect(many.made).toBeLessThanOrEqual(9);
    for (const app of [...alone, "part"])
      expect(world.toldOf(app).map(({ stage }) => stage)).not.toContain("given up");
    const bare = await apps().readNamespacedReplicaSet(inDefault("bare"));
    expect(bare.spec?.replicas).toBe(1);
    expect(bare.metadata?.annotations).not.toHaveProperty([recordAnnotation]);
    const scaler = await scaling().readNamespacedHorizontalPodAutoscaler(inDefault("counted"));
    expect(scaler.spec?.minReplicas).toBe(1);
    const keda = { ...scaledObjects, ...inDefault("queued") };
    const queued = await world.controlPlane.api(CustomObjectsApi).getNamespacedCustomObject(keda);
    expect(queued.spec.minReplicaCount).toBe(0);
    expect(queued.metadata.annotations ?? {}).not.toHaveProperty([recordAnnotation]);
  }, 900_000);

  it("leaves a count that somebody changes meanwhile", async () => {
    const drained = world.drain("scaled");
    await vi.waitFor(async () => expect(await recordsOf("scaled")).toBe(1), patience);
    for (const [name, value] of Object.entries(roleEnvironment(world))) vi.stubEnv(name, value);
    onTestFinished(() => void vi.unstubAllEnvs());
    const workload = "default/deployment/scaled";
    const awaited = [expect.stringMatching(/^default\/scaled-/)];
    const why = "node scaled under budget default/scaled";
    expect(await roomIn("status", demoNode.clusterName)).toEqual([
      expect.objectContaining({ workload, from: 1, to: 2, why, awaited }),
    ]);
    await patch("scaled", { replicas: 3 });
    let isOver = false;
    const over = drained.then(() => {
      isOver = true;
    });
    await vi.waitFor(async () => {
      await setReady("scaled");
      expect(isOver).toBe(true);
    }, patience);
    await over;
    await vi.waitFor(async () => expect(await recordsOf("scaled")).toBe(0), patience);
    const figures = await world.figuresOf("scaled", 1);
    expect(figures).toMatchObject({ floor: 1, count: 3 });
    expect(figures.made).toBeLessThanOrEqual(5);
    const ends = world.toldOf("scaled").map(({ stage, why }) => `${stage}: ${why}`);
    expect(ends).toContain("put back: changed by somebody");
  }, 900_000);

  it("surges nothing in a rollout, whose new pod takes the place of the old one as soon as it is ready", async () => {
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

  it("surges nothing that shares a volume which only one node can use, and says so", async () => {
    world.terminate(world.instanceOf("claimed"));
    const why =
      "its volume claim claimed is ReadWriteOnce, so a second pod could not use it on another node";
    const refused = expect.objectContaining({ stage: "not tried", why });
    await vi.waitFor(() => expect(world.toldOf("claimed")).toEqual([refused]), patience);
    expect(await plannedOn("claimed")).toEqual([
      { workload: "Deployment default/claimed", from: 1, to: 1, why: `no room is made: ${why}` },
    ]);
    expect(await world.figuresOf("claimed", 1)).toEqual({ floor: 1, made: 1, count: 1 });
  }, 900_000);

  it.each(Object.entries(keepers))(
    "surges nothing whose count %s keeps, and says so",
    async (app, keeper) => {
      const metadata = { name: app, namespace: "default" };
      const body = { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { replicas: 1 } };
      const by = { fieldManager: keeper, force: true };
      const applying = setHeaderOptions("Content-Type", PatchStrategy.ServerSideApply);
      await apps().patchNamespacedDeployment({ ...metadata, body, ...by }, applying);
      world.terminate(world.instanceOf(app));
      const why = `${keeper} keeps its count, and would put it back`;
      const refused = expect.objectContaining({ stage: "not tried", why });
      await vi.waitFor(() => expect(world.toldOf(app)).toEqual([refused]), patience);
      expect(await world.figuresOf(app, 1)).toEqual({ floor: 1, made: 1, count: 1 });
    },
    900_000,
  );

  it("puts a surge back for which the scheduler finds no node after all, and says what it says", async () => {
    world.terminate(world.instanceOf("shy"));
    const told = () => world.toldOf("shy").map(({ stage }) => stage);
    await vi.waitFor(() => expect(told()).toEqual(["surged", "given up"]), patience);
    expect(world.toldOf("shy").at(-1)?.why).toMatch(/nodes are available: .*anti-affinity/);
    expect(await world.figuresOf("shy", 1)).toEqual({ floor: 1, made: 2, count: 1 });
  }, 900_000);

  it("surges nothing where no other node has enough CPU, and says so", async () => {
    const { status } = await world.controlPlane.api(CoreV1Api).readNode({ name: "big" });
    const { cpu: all } = status?.allocatable ?? {};
    const cpu = String(Math.ceil(Number(all) * 0.6));
    const needs = (...nodes: readonly string[]) => ({
      containers: [
        {
          ...{ name: "main", image: "registry.k8s.io/pause:3.10", imagePullPolicy: "IfNotPresent" },
          resources: { requests: { cpu } },
        },
      ],
      affinity: { nodeAffinity: onlyOn(...nodes) },
    });
    await world.controlPlane.apply(deployment({ name: "full", spec: needs("full") }));
    await world.isOn("full", "full");
    await world.controlPlane.apply(
      deployment({ name: "big", spec: needs(...crowded) }),
      podDisruptionBudget({ name: "big", app: "big", allows: single }),
    );
    await world.isOn("big", "big");
    world.terminate(world.instanceOf("big"));
    const why = expect.stringMatching(/its replacement finds no place: .*too little cpu \(1\)/);
    const refused = expect.objectContaining({ stage: "not tried", why });
    await vi.waitFor(() => expect(world.toldOf("big")).toEqual([refused]), patience);
    expect(await world.figuresOf("big", 1)).toEqual({ floor: 1, made: 1, count: 1 });
  }, 900_000);
});
