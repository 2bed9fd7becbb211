import { AppsV1Api, CoreV1Api, type V1Node } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Dated } from "../../journal/entry.ts";
import { tryReadEntry } from "../../journal/entry-schema.ts";
import { productName } from "../../lambda/base/contract.ts";
import type { OptionWords } from "../../lambda/upgrade/options.ts";
import type { UpgradeEnd } from "../../lambda/upgrade/upgrade-entry.ts";
import type { Group } from "../../sandbox/aws/group.ts";
import { mutatingVerbs } from "./audit-log.ts";
import type { ClusterNode } from "./control-plane-options.ts";
import { deployment, podDisruptionBudget } from "./manifests.ts";
import { PodHistory } from "./pod-history.ts";
import { readyFloor } from "./ready-floor.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";
import { joinAndLeave, prepareUpgrade, startUpgrade } from "./upgrade-site.ts";

const group = "workers";
const old: readonly ClusterNode[] = ["eu-west-1a", "eu-west-1b"].map((zone, index) => ({
  name: `old-${index}`,
  zone,
  instanceId: `i-${String(index).padStart(17, "0")}`,
}));
const names: readonly string[] = old.map(({ name }) => name);
const web = { app: "web", replicas: 4 };
const patience = { timeout: 120_000, interval: 250 };
const longPatience = { timeout: 400_000, interval: 500 };
const quick: OptionWords = { "after-drain": "2s", "look-every": "2s" };

describe("a group of two that is upgraded and rolled back, and upgraded with a node set aside, on a real control plane", () => {
  let world: RealWorld;
  let history: PodHistory;
  let before: Group;
  let kept: readonly V1Node[];
  let back: readonly V1Node[];
  let ended: readonly V1Node[];
  const ends: (UpgradeEnd | undefined)[] = [];

  beforeAll(async () => {
    world = await startRealWorld({
      nodes: old,
      group,
      settings: { DRAIN_SETTLE_SECONDS: "1" },
      // A kubelet that a busy machine keeps waiting has not failed: else its pods would no longer count as ready.
      env: { MONITOR_GRACE: "10m" },
    });
    before = prepareUpgrade(world, group);
    world.aws.autoScaling.register.put({ ...before, min: 1, max: 2 });
    joinAndLeave(world);
    await world.controlPlane.apply(
      deployment({ name: web.app, replicas: web.replicas }),
      podDisruptionBudget({ name: web.app, app: web.app, allows: { maxUnavailable: 1 } }),
    );
    await ready(web.app, web.replicas);
    history = new PodHistory(world.controlPlane.kubeconfig);
    const keep = { ...quick, "keep-old": "3600s", soak: "10s" };
    startUpgrade(world, { id: "0badcafe", group, options: keep });
    await vi.waitFor(() => {
      expect(told("upgrade-phase").map(({ phase }) => phase)).toContain("keep");
    }, longPatience);
    kept = await nodes();
    const message = { upgrade: "rollback", id: "1badcafe", group, of: "0badcafe" };
    world.aws.sns.publish(world.upgradesArn, { subject: "", message: JSON.stringify(message) });
    ends.push(await ending("0badcafe"));
    back = await settled(names.length);
    await setAside();
  }, 900_000);
  afterAll(async () => {
    await history.stop();
    await world.stop();
  });

  /** Upgrades the group again while a budget keeps a pod on one of its nodes. */
  async function setAside(): Promise<void> {
    await world.controlPlane.apply(
      deployment({ name: "db", replicas: 1 }),
      podDisruptionBudget({ name: "db", app: "db", allows: { maxUnavailable: 0 } }),
    );
    await ready("db", 1);
    const options = { ...quick, "drain-timeout": "60s", undrainable: "set-aside" };
    startUpgrade(world, { id: "2badcafe", group, options });
    ends.push(await ending("2badcafe"));
    ended = await settled(old.length + 1);
  }

  const core = () => world.controlPlane.api(CoreV1Api);
  const nodes = async () => (await core().listNode()).items;
  const settled = async (count: number) =>
    vi.waitFor(async () => {
      const all = await nodes();
      expect(all).toHaveLength(count);
      return all;
    }, patience);
  const told = <Kind extends Dated["kind"]>(kind: Kind) =>
    world.log
      .flatMap((line) => tryReadEntry(line) ?? [])
      .filter((entry): entry is Extract<Dated, { kind: Kind }> => entry.kind === kind);
  const ending = (id: string) =>
    vi.waitFor(() => {
      const end = told("upgrade-answered").find(
        ({ upgrade, end: its }) => upgrade === id && its.kind !== "taken-over",
      );
      expect(end).toBeDefined();
      return end?.end;
    }, longPatience);
  const ready = (name: string, replicas: number) =>
    vi.waitFor(async () => {
      const apps = world.controlPlane.api(AppsV1Api);
      const { status } = await apps.readNamespacedDeployment({ name, namespace: "default" });
      expect(status?.readyReplicas).toBe(replicas);
    }, patience);

  const tracesOn = ({ metadata, spec }: V1Node) => [
    ...Object.keys(metadata?.annotations ?? {}).filter((key) => /lifecycle|autoscaler/.test(key)),
    ...(spec?.unschedulable === true ? ["cordon"] : []),
  ];

  it("keeps the old nodes cordoned and away from Cluster Autoscaler, beside as many new ones", () => {
    expect(kept).toHaveLength(2 * old.length);
    const closed = kept.filter(({ metadata }) => names.includes(metadata?.name ?? ""));
    for (const node of closed) {
      expect(node.spec?.unschedulable).toBe(true);
      expect(tracesOn(node)).toContain("cluster-autoscaler.kubernetes.io/scale-down-disabled");
    }
  });

  it("goes back to the same nodes, version and sizes, and leaves no mark on them", () => {
    expect(ends[0]).toEqual({ kind: "ended", outcome: "rolled-back" });
    expect(back.map(({ metadata }) => metadata?.name).toSorted()).toEqual(names);
    expect(back.flatMap(tracesOn)).toEqual([]);
    const sized = told("upgrade-sized").filter(({ upgrade }) => upgrade === "0badcafe");
    expect(sized.at(-1)).toMatchObject({ desired: old.length, max: old.length });
  });

  it("keeps all pods but one ready at every instant, there and back, and deletes none", async () => {
    expect(readyFloor(history.in("default"), web)).toBe(web.replicas - 1);
    const audit = await world.controlPlane.audit({
      userAgent: `${productName}/`,
      verbs: mutatingVerbs,
    });
    const done = audit.filter(({ stage, code = 0 }) => stage === "ResponseComplete" && code < 400);
    expect(done.filter(({ verb, resource }) => verb === "delete" && resource === "pods")).toEqual(
      [],
    );
    expect(
      audit.filter(({ stage, code = 0 }) => stage === "ResponseComplete" && code === 403),
    ).toEqual([]);
  });

  it("leaves the node that is set aside cordoned with its pod, and one new node more", async () => {
    expect(ends[1]).toEqual({ kind: "ended", outcome: "set-aside" });
    const marked = ended.filter((node) => tracesOn(node).length > 0);
    expect(marked.map(({ metadata }) => metadata?.name)).toHaveLength(1);
    const [aside] = marked;
    expect(names).toContain(aside?.metadata?.name);
    expect(aside === undefined ? [] : tracesOn(aside)).toEqual([
      `${productName}/upgrade-blocked`,
      `${productName}/upgrade-cordoned`,
      "cordon",
    ]);
    const { items } = await core().listNamespacedPod({ namespace: "default" });
    const [db] = items.filter(({ metadata }) => metadata?.name?.startsWith("db-"));
    expect(db?.spec?.nodeName).toBe(aside?.metadata?.name);
    const { desired } = world.aws.autoScaling.register.findGroup(group);
    expect(desired).toBe(old.length + 1);
  });
});
