import { CoreV1Api, type V1Pod, type V1PodDisruptionBudget } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { main } from "../../cli/main.ts";
import { tryReadEntry } from "../../journal/entry-schema.ts";
import { capturedIo } from "../cli/captured-io.ts";
import { jsonLines } from "../cli/json-lines-schema.ts";
import { deployment, pod, podDisruptionBudget, statefulSet } from "./manifests.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";
import { beginOn } from "./room-world.ts";

const patience = { timeout: 120_000, interval: 200 };
const nodes = ["node-a", "node-b", "node-c", "spare-1"].map((name, index) => ({
  name,
  instanceId: `i-0000000000000000${index + 1}`,
  zone: "eu-west-1a",
}));
const leaving = nodes.slice(0, 3);
const [a = "", b = "", c = ""] = leaving.map(({ name }) => name);

const spread = (name: string) => ({ name, replicas: 3, spec: beginOn(name, [a, b, c]) });
const budget = (
  app: string,
  allows: { readonly maxUnavailable: number | string } | { readonly minAvailable: number },
) => podDisruptionBudget({ name: app, app, allows });
const bare = (name: string, app: string, node: string, more = {}) =>
  pod({ name, labels: { app }, spec: { nodeName: node }, ...more });
const job = (name: string, app: string, node: string) => {
  const { spec, metadata } = bare(name, app, node);
  const template = {
    metadata: { labels: metadata?.labels ?? {} },
    spec: { ...spec, restartPolicy: "Never" },
  };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name, namespace: "default" },
    spec: { template },
  };
};
const postgres = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "clusters.postgresql.cnpg.io" },
  spec: {
    group: "postgresql.cnpg.io",
    scope: "Namespaced",
    names: { plural: "clusters", singular: "cluster", kind: "Cluster" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
        },
      },
    ],
  },
};

interface ToldPod {
  readonly pod: string;
  readonly fate: string;
  readonly holds: readonly { readonly kind: string; readonly budgets: readonly string[] }[];
}

describe("a plan of three nodes that leave together, and their drains on a real control plane", () => {
  let world: RealWorld;
  const core = () => world.controlPlane.api(CoreV1Api);
  const kubectl = (...args: readonly string[]) => world.controlPlane.kubectlText(...args);

  beforeAll(async () => {
    // What stays at the end of the test would stay until the deadline.
    const settings = { DRAIN_TIMEOUT_SECONDS: "3600", DRAIN_FORCE: "never" };
    world = await startRealWorld({ nodes, group: "workers", settings });
  }, 240_000);
  afterAll(() => world?.stop());

  const podsOnLeaving = async (): Promise<readonly V1Pod[]> =>
    (await core().listNamespacedPod({ namespace: "default" })).items.filter(({ spec }) =>
      leaving.some(({ name }) => name === spec?.nodeName),
    );

  /** A database whose operator has the standby take over once the node of the primary is closed. */
  async function runPostgres(): Promise<() => Promise<void>> {
    await world.controlPlane.apply(postgres);
    const owner = { apiVersion: "postgresql.cnpg.io/v1", kind: "Cluster" };
    await vi.waitFor(
      () => world.controlPlane.apply({ ...owner, metadata: { name: "pg", namespace: "default" } }),
      patience,
    );
    const uid = await kubectl(
      "get",
      "clusters.postgresql.cnpg.io",
      "pg",
      "--output=jsonpath={.metadata.uid}",
    );
    const owned = { owner: { ...owner, name: "pg", uid, controller: true } };
    await world.controlPlane.apply(
      bare("pg-1", "pg-primary", a, owned),
      bare("pg-2", "pg-standby", "spare-1", owned),
      budget("pg-primary", { minAvailable: 1 }),
    );
    return async () => {
      await vi.waitFor(
        async () =>
          expect(await kubectl("get", "node", a, "--output=jsonpath={.spec.unschedulable}")).toBe(
            "true",
          ),
        patience,
      );
      await kubectl("label", "pod", "pg-2", "app=pg-primary", "--overwrite");
    };
  }

  /** A database whose operator labels the pod that leads: the budget selects one pod of the StatefulSet. */
  async function runPatroni(): Promise<() => Promise<void>> {
    const { spec, ...rest } = budget("acid", { minAvailable: 1 });
    const master: V1PodDisruptionBudget = {
      ...rest,
      spec: { ...spec, selector: { matchLabels: { role: "master" } } },
    };
    await world.controlPlane.apply(
      statefulSet({ name: "acid", replicas: 2, spec: beginOn("acid", [a, b]) }),
      master,
    );
    const lead = (name: string) => kubectl("label", "pod", name, "role=master");
    await vi.waitFor(() => lead("acid-0"), patience);
    return async () => {
      const acid = { name: "acid-1", namespace: "default" };
      await vi.waitFor(async () => {
        const { spec } = await core().readNamespacedPod(acid);
        expect(spec?.nodeName).toBe("spare-1");
      }, patience);
      await lead("acid-1");
    };
  }

  async function planned(): Promise<readonly ToldPod[]> {
    const io = capturedIo();
    const { kubeconfig } = world.controlPlane;
    const words = ["--kubeconfig", kubeconfig, "--deadline", "1h", "--force", "never", "--json"];
    await main(["plan", ...leaving.map(({ name }) => name), ...words], io);
    return jsonLines(io)
      .flatMap(({ pods = [] }) => pods as readonly ToldPod[])
      .filter(({ pod: title }) => title.startsWith("default/"));
  }

  it("tell by the real kubelets which nodes hold up a rollback of the control plane", async () => {
    const io = capturedIo();
    await main(["plan", "--kubeconfig", world.controlPlane.kubeconfig, "--json"], io);
    expect(jsonLines(io).at(-1)).toMatchObject({
      kind: "plan-summary",
      versions: [{ holds: "previous", group: "", nodes: nodes.length, reason: "newer-kubelet" }],
    });
  });

  it("agree on every pod that a budget or a protection holds, and on what is left", async () => {
    const switchOver = await runPostgres();
    const failOver = await runPatroni();
    const safe = { annotations: { "karpenter.sh/do-not-disrupt": "true" } };
    await world.controlPlane.apply(
      statefulSet(spread("kafka")),
      budget("kafka", { maxUnavailable: 1 }),
      deployment(spread("web")),
      budget("web", { minAvailable: 1 }),
      deployment({ name: "single", spec: beginOn("single", [b]) }),
      budget("single", { minAvailable: 1 }),
      deployment(spread("mixed")),
      job("mixed-job", "mixed", c),
      budget("mixed", { maxUnavailable: "30%" }),
      bare("bare-1", "bare", a),
      bare("bare-2", "bare", b),
      budget("bare", { maxUnavailable: 1 }),
      bare("safe", "safe", c, safe),
      bare("free", "free", c),
    );
    const told = await vi.waitFor(async () => {
      const found = await planned();
      const fates = Object.groupBy(found, ({ pod: title }) =>
        title.replace(/^default\/|-.*$/g, ""),
      );
      const counts = Object.fromEntries(
        Object.entries(fates).map(([app, all = []]) => [
          app,
          all.map(({ fate }) => fate).toSorted(),
        ]),
      );
      expect(counts).toEqual({
        kafka: ["goes", "waits", "waits"],
        web: ["goes", "goes", "waits"],
        single: ["never"],
        mixed: ["never", "never", "never", "waits"],
        bare: ["never", "never"],
        safe: ["never"],
        free: ["goes"],
        pg: ["late"],
        acid: ["goes", "late"],
      });
      return found;
    }, patience);
    const before = await podsOnLeaving();
    const isTold =
      (...fates: readonly string[]) =>
      ({ metadata }: V1Pod) =>
        told.some(
          ({ pod: title, fate }) => title === `default/${metadata?.name}` && fates.includes(fate),
        );
    const uidsOf = (pods: readonly V1Pod[]) =>
      pods.map(({ metadata }) => metadata?.uid ?? "").toSorted();
    const isOfJob = ({ metadata }: V1Pod) => metadata?.name?.startsWith("mixed-job") === true;
    const staying = before.filter((one) => isTold("never")(one) || isOfJob(one));

    for (const { instanceId } of leaving) world.terminate(instanceId);
    await switchOver();
    await failOver();

    await vi.waitFor(
      async () => expect(uidsOf(await podsOnLeaving())).toEqual(uidsOf(staying)),
      patience,
    );
    const refusals = told.filter(
      ({ fate, holds }) => fate === "never" && holds.some(({ budgets }) => budgets.length > 0),
    );
    for (const { pod: title } of refusals) {
      const name = title.replace("default/", "");
      const body = { metadata: { name }, deleteOptions: { dryRun: ["All"] } };
      await expect(
        core().createNamespacedPodEviction({ name, namespace: "default", body }),
        title,
      ).rejects.toMatchObject({ code: 429 });
    }
    const held = world.log
      .flatMap((text) => tryReadEntry(text) ?? [])
      .flatMap((entry) => (entry.kind === "pods-held" ? [entry.budget] : []));
    const foretold = told.flatMap(({ holds }) => holds.flatMap(({ budgets }) => budgets));
    expect(foretold).toEqual(expect.arrayContaining([...new Set(held)]));
    expect(uidsOf(await podsOnLeaving())).toEqual(uidsOf(staying));
  }, 400_000);
});
