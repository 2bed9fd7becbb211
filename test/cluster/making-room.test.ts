import { readFile } from "node:fs/promises";
import { AppsV1Api, AutoscalingV2Api, CoreV1Api } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { tryReadEntry } from "../../journal/entry-schema.ts";
import { recordAnnotation } from "../../lambda/making-room/record.ts";
import { makeRoomAnnotation } from "../../lambda/making-room/room-refusal.ts";
import { deployment, podDisruptionBudget } from "./manifests.ts";
import { PodHistory } from "./pod-history.ts";
import { readyFloor } from "./ready-floor.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";

const patience = { timeout: 60_000, interval: 250 };
const numbered = (name: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${name}-${index + 1}`);
const drained = ["single", "strict", "counted", "bare", ...numbered("part", 4)];
const crowded = ["full", "big"];
const names = [...drained, ...crowded, ...numbered("spare", 3)];
const nodes = names.map((name, index) => ({
  name,
  instanceId: `i-0000000000000000${(index + 1).toString(16)}`,
  zone: "eu-west-1a",
}));
const instancesOf = (wanted: readonly string[]) =>
  nodes.filter(({ name }) => wanted.includes(name)).map(({ instanceId }) => instanceId);
const annotations = { "hollow/ready-after": "3" };

/** Pods that begin on these nodes, and may go to any other that is no crowded one. */
const beginOn = (...values: readonly string[]) => ({
  terminationGracePeriodSeconds: 5,
  affinity: {
    nodeAffinity: {
      preferredDuringSchedulingIgnoredDuringExecution: [
        { weight: 100, preference: { matchExpressions: [hostIn("In", values)] } },
      ],
      requiredDuringSchedulingIgnoredDuringExecution: {
        nodeSelectorTerms: [{ matchExpressions: [hostIn("NotIn", crowded)] }],
      },
    },
  },
});
const hostIn = (operator: string, values: readonly string[]) => ({
  key: "kubernetes.io/hostname",
  operator,
  values: [...values],
});

describe("room that is made first, on a real control plane", () => {
  let world: RealWorld;
  let history: PodHistory;
  const apps = () => world.controlPlane.api(AppsV1Api);
  const countOf = async (name: string) =>
    (await apps().readNamespacedDeployment({ name, namespace: "default" })).spec?.replicas;
  const changesOf = (app: string) =>
    history.in("default").filter(({ name }) => name.startsWith(`${app}-`));
  const madeOf = (app: string) => new Set(changesOf(app).map(({ uid }) => uid)).size;
  const isOn = (app: string, node: string) =>
    vi.waitFor(
      () => expect(changesOf(app).some((pod) => pod.ready && pod.node === node)).toBe(true),
      patience,
    );
  const told = () =>
    world.log
      .flatMap((line) => tryReadEntry(line) ?? [])
      .flatMap((entry) => (entry.kind === "making-room" ? [entry] : []));
  const records = async () => {
    const { items } = await apps().listDeploymentForAllNamespaces();
    return items
      .filter(({ metadata }) => metadata?.name !== "big")
      .flatMap(({ metadata }) => metadata?.annotations?.[recordAnnotation] ?? []);
  };

  beforeAll(async () => {
    const settings = { DRAIN_MAKE_ROOM: "on", DRAIN_TIMEOUT_SECONDS: "400" };
    world = await startRealWorld({ nodes, group: "workers", settings });
    history = new PodHistory(world.controlPlane.kubeconfig);
    const rights = ["room-fence", "rbac-making-room"].map((name) =>
      readFile(new URL(`../../lambda/rights/${name}.yaml`, import.meta.url), "utf8"),
    );
    await world.controlPlane.apply(...(await Promise.all(rights)));
    const parts = numbered("part", 4);
    const spread = {
      podAffinityTerm: {
        topologyKey: "kubernetes.io/hostname",
        labelSelector: { matchLabels: { app: "part" } },
      },
      weight: 100,
    };
    const { affinity, ...rest } = beginOn(...parts);
    const apart = {
      podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [spread] },
    };
    await world.controlPlane.apply(
      ...["single", "strict", "counted"].map((name) =>
        deployment({ name, annotations, spec: beginOn(name) }),
      ),
      deployment({
        ...{ name: "part", replicas: 4, annotations },
        spec: { ...rest, affinity: { ...affinity, ...apart } },
      }),
      podDisruptionBudget({ name: "single", app: "single", allows: { minAvailable: 1 } }),
      podDisruptionBudget({ name: "strict", app: "strict", allows: { maxUnavailable: 0 } }),
      podDisruptionBudget({ name: "counted", app: "counted", allows: { minAvailable: 1 } }),
      podDisruptionBudget({ name: "bare", app: "bare", allows: { maxUnavailable: 0 } }),
      podDisruptionBudget({ name: "part", app: "part", allows: { maxUnavailable: 0 } }),
    );
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "counted" };
    await world.controlPlane.api(AutoscalingV2Api).createNamespacedHorizontalPodAutoscaler({
      namespace: "default",
      body: {
        metadata: { name: "counted" },
        spec: { scaleTargetRef, minReplicas: 1, maxReplicas: 3 },
      },
    });
    const image = "registry.k8s.io/pause:3.10";
    const containers = [{ name: "main", image, imagePullPolicy: "IfNotPresent" }];
    const labels = { app: "bare" };
    await apps().createNamespacedReplicaSet({
      namespace: "default",
      body: {
        metadata: { name: "bare", annotations: { [makeRoomAnnotation]: "on" } },
        spec: {
          ...{ replicas: 1, selector: { matchLabels: labels } },
          template: {
            metadata: { labels, annotations },
            spec: { containers, ...beginOn("bare") },
          },
        },
      },
    });
    for (const app of ["single", "strict", "counted", "bare"]) await isOn(app, app);
    for (const node of parts) await isOn("part", node);
  }, 180_000);
  afterAll(async () => {
    await history?.stop();
    await world?.stop();
  });

  it("moves every pod, never with fewer ready ones, and with one pod made for each that goes", async () => {
    const instances = instancesOf(drained);
    for (const instance of instances) world.terminate(instance);
    const actions = await world.released(...instances);
    expect(actions.map(({ end }) => end)).toEqual(
      instances.map(() => expect.objectContaining({ result: "CONTINUE" })),
    );
    await vi.waitFor(async () => expect(await records()).toEqual([]), patience);
    const figures = ["single", "strict", "counted", "bare"].map((app) => [
      app,
      readyFloor(changesOf(app), { app, replicas: 1 }),
      madeOf(app),
    ]);
    expect(figures).toEqual([
      ["single", 1, 2],
      ["strict", 1, 2],
      ["counted", 1, 2],
      ["bare", 1, 2],
    ]);
    const bare = await apps().readNamespacedReplicaSet({ name: "bare", namespace: "default" });
    expect([bare.spec?.replicas, bare.metadata?.annotations?.[recordAnnotation]]).toEqual([
      1,
      undefined,
    ]);
    expect(readyFloor(changesOf("part"), { app: "part", replicas: 4 })).toBe(4);
    expect(madeOf("part")).toBeLessThanOrEqual(9);
    for (const [app, count] of [
      ["single", 1],
      ["strict", 1],
      ["counted", 1],
      ["part", 4],
    ] as const)
      expect([app, await countOf(app)]).toEqual([app, count]);
    const scaler = await world.controlPlane
      .api(AutoscalingV2Api)
      .readNamespacedHorizontalPodAutoscaler({ name: "counted", namespace: "default" });
    expect(scaler.spec?.minReplicas).toBe(1);
    const failed = told().filter(
      ({ stage, workload }) => stage === "given up" && !workload.endsWith("big"),
    );
    expect(failed).toEqual([]);
  }, 240_000);

  it("surges nothing where no other node has enough CPU, and says which node lacks how much", async () => {
    const core = world.controlPlane.api(CoreV1Api);
    const { status } = await core.readNode({ name: "big" });
    const { cpu: all } = status?.allocatable ?? {};
    const cpu = String(Math.ceil(Number(all) * 0.6));
    const needs = (node: readonly string[]) => ({
      containers: [
        {
          ...{ name: "main", image: "registry.k8s.io/pause:3.10", imagePullPolicy: "IfNotPresent" },
          resources: { requests: { cpu } },
        },
      ],
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [hostIn("In", node)] }],
          },
        },
      },
    });
    await world.controlPlane.apply(deployment({ name: "full", spec: needs(["full"]) }));
    await isOn("full", "full");
    await world.controlPlane.apply(
      deployment({ name: "big", spec: needs(crowded) }),
      podDisruptionBudget({ name: "big", app: "big", allows: { minAvailable: 1 } }),
    );
    await isOn("big", "big");
    const [instance = ""] = instancesOf(["big"]);
    world.terminate(instance);
    const refused = () => told().find(({ stage }) => stage === "not tried");
    await vi.waitFor(
      () => expect(refused()?.why).toMatch(/full has the most room, but only \d+m of \d+m cpu/),
      patience,
    );
    expect(await countOf("big")).toBe(1);
    expect(readyFloor(changesOf("big"), { app: "big", replicas: 1 })).toBe(1);
    expect(madeOf("big")).toBe(1);
  }, 120_000);
});
