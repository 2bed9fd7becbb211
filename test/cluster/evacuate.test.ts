import { AppsV1Api, CoreV1Api } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { main } from "../../cli/main.ts";
import { demoNode } from "../../sandbox/scenarios/demo-ng.ts";
import { capturedIo } from "../cli/captured-io.ts";
import type { ClusterNode } from "./control-plane-options.ts";
import { daemonSet, deployment, namespace, podDisruptionBudget } from "./manifests.ts";
import { PodHistory } from "./pod-history.ts";
import { readyFloor } from "./ready-floor.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";
import { signIn } from "./sign-in.ts";

const [group, home, zone] = ["workers", "shop", "eu-west-1b"] as const;
const nodes: readonly ClusterNode[] = Array.from({ length: 9 }, (_, index) => ({
  name: `node-${index}`,
  instanceId: `i-${String(index).padStart(17, "0")}`,
  zone: `eu-west-1${"abc"[index % 3]}`,
}));
const inZone = nodes.filter((node) => node.zone === zone);
const names = inZone.map(({ name }) => name);
const patience = { timeout: 120_000, interval: 250 };

/** What runs in the cluster, and how many of its pods a budget wants ready at any instant. */
const workloads = [
  { app: "web", replicas: 18, allows: { maxUnavailable: 3 }, promised: 15 },
  { app: "api", replicas: 6, allows: { minAvailable: 5 }, promised: 5 },
] as const;

describe("a zone of three that is evacuated, on a real control plane", () => {
  let world: RealWorld;
  let history: PodHistory;
  const looks: Record<string, Look> = {};
  let before: ReadonlySet<string>;
  let changes: ReturnType<PodHistory["in"]>;

  beforeAll(async () => {
    world = await startRealWorld({ nodes, group, settings: { DRAIN_SETTLE_SECONDS: "1" } });
    signIn(world);
    const place = { namespace: home };
    await vi.waitFor(async () => {
      const { items } = await world.controlPlane.api(CoreV1Api).listNode();
      const open = items.filter(({ spec }) => spec?.taints === undefined && !spec?.unschedulable);
      expect(open).toHaveLength(nodes.length);
    }, patience);
    await world.controlPlane.apply(
      namespace(home),
      daemonSet({ ...place, name: "agent" }),
      ...workloads.flatMap(({ app, replicas, allows }) => [
        deployment({ ...place, name: app, replicas, annotations: { "hollow/ready-after": "1" } }),
        podDisruptionBudget({ ...place, name: app, app, allows }),
      ]),
    );
    history = new PodHistory(world.controlPlane.kubeconfig);
    await vi.waitFor(async () => {
      const { items } = await world.controlPlane
        .api(AppsV1Api)
        .listNamespacedDeployment({ namespace: home });
      const ready = items.map(({ status }) => status?.readyReplicas ?? 0);
      expect(ready.toSorted((a, b) => a - b)).toEqual([6, 18]);
    }, patience);
    await takeCourse();
  }, 300_000);
  afterAll(async () => {
    vi.unstubAllEnvs();
    await history.stop();
    await world.stop();
  });

  async function evacuate(...args: readonly string[]) {
    const io = capturedIo();
    const place = ["--zone", zone, "--kubeconfig", world.controlPlane.kubeconfig];
    const words = ["evacuate", demoNode.clusterName, ...place, "--settle", "1s", ...args];
    const code = await main(words, io);
    return { code, told: io.out() + io.err() };
  }

  /** Waits until the history has every pod as it is now. */
  const caughtUp = () =>
    vi.waitFor(async () => {
      const { items } = await world.controlPlane
        .api(CoreV1Api)
        .listNamespacedPod({ namespace: home });
      const seen = new Set(history.in(home).map(({ revision }) => revision));
      for (const { metadata } of items) expect(seen).toContain(Number(metadata?.resourceVersion));
    }, patience);

  const cordoned = async () =>
    (await world.controlPlane.api(CoreV1Api).listNode()).items
      .filter(({ spec }) => spec?.unschedulable === true)
      .map(({ metadata }) => metadata?.name);
  const podsIn = async () =>
    (await world.controlPlane.api(CoreV1Api).listNamespacedPod({ namespace: home })).items
      .filter(({ spec }) => names.includes(spec?.nodeName ?? ""))
      .map(({ metadata }) => metadata?.name?.replace(/-.*/, ""));

  /** What was so after a command. */
  async function look(name: string, ...args: readonly string[]): Promise<void> {
    const { code, told } = await evacuate(...args);
    looks[name] = { code, told, cordoned: await cordoned(), pods: await podsIn() };
  }

  /** Empties the zone, opens it, and empties it once more; then its instances end, as soon as none can come back. */
  async function takeCourse(): Promise<void> {
    await caughtUp();
    before = new Set(history.in(home).map(({ uid }) => uid));
    await look("emptied", "--keep", "--at-once", "3");
    await caughtUp();
    changes = history.in(home);
    await look("opened", "--undo");
    await look("emptied again", "--keep");
    await look("refused");
    const { register } = world.aws.autoScaling;
    const found = register.findGroup(group);
    register.put({ ...found, zones: found.zones.filter((one) => one !== zone) });
    await look("handed over");
  }

  it("is emptied but for DaemonSets, and all its nodes stay cordoned", () => {
    const { code, told, pods, cordoned: closed } = seen("emptied");
    expect(code, told).toBe(0);
    expect(closed).toEqual(names);
    expect(new Set(pods)).toEqual(new Set(["agent"]));
  });

  it("keeps every budget at every instant", () => {
    for (const { app, replicas, promised } of workloads)
      expect(readyFloor(changes, { app, replicas }), app).toBeGreaterThanOrEqual(promised);
  });

  it("takes none of the pods that replace those evicted from it", () => {
    const later = changes.filter(({ uid, node }) => !before.has(uid) && node !== "");
    expect(later.length).toBeGreaterThan(0);
    expect(later.filter(({ node }) => names.includes(node))).toEqual([]);
  });

  it("is opened again, and can be emptied once more", () => {
    expect(seen("opened")).toMatchObject({ code: 0, cordoned: [] });
    expect(seen("emptied again")).toMatchObject({ code: 0, cordoned: names });
  });

  it("gives its empty instances to their group once nothing can come back, and not before", async () => {
    expect(seen("refused")).toMatchObject({
      code: 1,
      told: expect.stringContaining("may still launch in eu-west-1b"),
    });
    expect(seen("handed over").code, seen("handed over").told).toBe(0);
    const ended = await world.released(...inZone.map(({ instanceId }) => instanceId));
    expect(ended).toHaveLength(3);
  });

  function seen(name: string): Look {
    const found = looks[name];
    if (found === undefined) throw new Error(`nothing was looked at ${name}`);
    return found;
  }
});

/** What a command has told, and how the zone was then. */
interface Look {
  readonly code: number;
  readonly told: string;
  readonly cordoned: readonly (string | undefined)[];
  readonly pods: readonly (string | undefined)[];
}
