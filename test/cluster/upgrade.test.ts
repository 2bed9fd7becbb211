import { AppsV1Api, CoreV1Api, EventsV1Api, type V1Node } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { UpgradePlan } from "../../cli/upgrade/upgrade-schema.ts";
import type { Dated } from "../../journal/entry.ts";
import { tryReadEntry } from "../../journal/entry-schema.ts";
import { productName } from "../../lambda/base/contract.ts";
import type { UpgradeEnd } from "../../lambda/upgrade/upgrade-entry.ts";
import type { Group } from "../../sandbox/aws/group.ts";
import { isExcludedBy } from "../../sandbox/cloud-controller.ts";
import { type AuditEntry, mutatingVerbs } from "./audit-log.ts";
import type { ClusterNode } from "./control-plane-options.ts";
import { daemonSet, deployment, namespace, podDisruptionBudget, statefulSet } from "./manifests.ts";
import { PodHistory } from "./pod-history.ts";
import { readyFloor } from "./ready-floor.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";
import { joinAndLeave, nodeRole, planOf, prepareUpgrade, startUpgrade } from "./upgrade-site.ts";

const group = "workers";
const size = 10;
const home = "shop";
const old: readonly ClusterNode[] = Array.from({ length: size }, (_, index) => ({
  name: `old-${index}`,
  instanceId: `i-${String(index).padStart(17, "0")}`,
  zone: `eu-west-1${"abc"[index % 3]}`,
}));
/** How the group is upgraded, in the words of the command. */
const asWords = {
  "max-unavailable": "4",
  surge: "4",
  order: "zone",
  "after-drain": "2s",
  "look-every": "2s",
};
const patience = { timeout: 120_000, interval: 250 };

/** What runs in the cluster, and how many of its pods a budget wants ready at any instant. */
const workloads = [
  { app: "web", replicas: 20, allows: { maxUnavailable: "20%" }, promised: 16 },
  { app: "api", replicas: 5, allows: { minAvailable: 4 }, promised: 4 },
  { app: "db", replicas: 3, allows: { maxUnavailable: 1 }, promised: 2 },
] as const;

describe("ten nodes over three zones that are upgraded, on a real control plane", () => {
  let world: RealWorld;
  let before: Group;
  let history: PodHistory;
  let joining: { waited: boolean };
  let audit: readonly AuditEntry[];
  let nodes: readonly V1Node[];
  const seen = { most: 0 };
  let planned: UpgradePlan;
  let refused: UpgradeEnd | undefined;

  beforeAll(async () => {
    world = await startRealWorld({ nodes: old, group, settings: { DRAIN_SETTLE_SECONDS: "1" } });
    before = prepareUpgrade(world, group);
    joining = joinAndLeave(world);
    await runWorkloads();
    history = new PodHistory(world.controlPlane.kubeconfig);
    watchSizes();
    refused = await refusedForPicky();
    planned = await planOf(world, group, asWords);
    startUpgrade(world, { id: "0badcafe", group, options: asWords });
    await vi.waitFor(() => expect(told("upgrade-answered")).toHaveLength(2), {
      timeout: 400_000,
      interval: 500,
    });
    await vi.waitFor(async () => {
      nodes = (await core().listNode()).items;
      expect(nodes).toHaveLength(size);
    }, patience);
    audit = await world.controlPlane.audit({
      userAgent: `${productName}/`,
      verbs: mutatingVerbs,
    });
  }, 600_000);
  afterAll(async () => {
    await history.stop();
    await world.stop();
  });

  const core = () => world.controlPlane.api(CoreV1Api);
  const instances = () => world.aws.autoScaling.register.instancesOf(group);
  const told = <Kind extends Dated["kind"]>(kind: Kind) =>
    world.log
      .flatMap((line) => tryReadEntry(line) ?? [])
      .filter((entry): entry is Extract<Dated, { kind: Kind }> => entry.kind === kind);

  async function runWorkloads(): Promise<void> {
    const [web, api, db] = workloads;
    const place = { namespace: home };
    await world.controlPlane.apply(
      namespace(home),
      deployment({ ...place, name: web.app, replicas: web.replicas }),
      deployment({
        ...place,
        name: api.app,
        replicas: api.replicas,
        annotations: { "hollow/ready-after": "2" },
      }),
      statefulSet({
        ...place,
        name: db.app,
        replicas: db.replicas,
        annotations: { "hollow/term-seconds": "2" },
      }),
      daemonSet({ ...place, name: "agent" }),
      ...workloads.map(({ app, allows }) =>
        podDisruptionBudget({ ...place, name: app, app, allows }),
      ),
    );
    const apps = world.controlPlane.api(AppsV1Api);
    await vi.waitFor(async () => {
      const sets = await apps.listNamespacedDeployment(place);
      const ready = sets.items.map(({ status }) => status?.readyReplicas ?? 0);
      expect(ready.toSorted((a, b) => a - b)).toEqual([api.replicas, web.replicas]);
      const { status } = await apps.readNamespacedStatefulSet({ ...place, name: db.app });
      expect(status?.readyReplicas).toBe(db.replicas);
    }, patience);
  }

  /**
   * Starts an upgrade while a pod runs that wants a disk of no other node, and one that names its node's machine, and returns
   * how that was answered.
   */
  async function refusedForPicky(): Promise<UpgradeEnd | undefined> {
    const picky = { namespace: home, name: "picky" };
    const bound = { namespace: home, name: "bound" };
    // New nodes are as the first old one of their zone.
    const path = "/metadata/labels/disk";
    await core().patchNode({ name: "old-3", body: [{ op: "add", path, value: "fast" }] });
    const named = { "kubernetes.io/hostname": "old-4" };
    await world.controlPlane.apply(
      deployment({ ...picky, spec: { nodeSelector: { disk: "fast" } } }),
      deployment({ ...bound, spec: { nodeSelector: named } }),
    );
    const apps = world.controlPlane.api(AppsV1Api);
    const ready = async (place: typeof picky) =>
      (await apps.readNamespacedDeployment(place)).status?.readyReplicas ?? 0;
    for (const place of [picky, bound])
      await vi.waitFor(async () => expect(await ready(place)).toBe(1), patience);
    startUpgrade(world, { id: "1badcafe", group, options: asWords });
    await vi.waitFor(() => expect(told("upgrade-answered")).toHaveLength(1), patience);
    for (const place of [picky, bound]) {
      await apps.deleteNamespacedDeployment({ ...place, propagationPolicy: "Foreground" });
      await vi.waitFor(() => expect(ready(place)).rejects.toThrow("not found"), patience);
    }
    return told("upgrade-answered")[0]?.end;
  }

  /** Follows how many instances the group has at most. */
  function watchSizes(): void {
    world.aws.autoScaling.onChange(() => {
      const active = instances().filter(({ state }) => /^(?:InService|Pending)/.test(state));
      seen.most = Math.max(seen.most, active.length);
    });
  }

  /** The nodes that were drained at the same time, in the order of their batches. */
  const batches = () =>
    told("upgrade-nodes")
      .filter(({ deed }) => deed === "chosen")
      .map((one) => one.nodes);

  it("ends well: every instance is of the new version, spread as before", () => {
    expect(told("upgrade-answered").at(-1)?.end).toEqual({ kind: "ended", outcome: "done" });
    expect(new Set(instances().map(({ template }) => template.version))).toEqual(new Set(["2"]));
    const left = old.map(({ instanceId }) => instanceId);
    expect(instances().filter(({ id }) => left.includes(id))).toEqual([]);
    const zones = Map.groupBy(instances(), ({ zone }) => zone);
    const counts = [...zones.values()].map((all) => all.length);
    expect(counts.toSorted((a, b) => a - b)).toEqual([3, 3, 4]);
  });

  it.each(workloads)("keeps $promised of $replicas pods of $app ready at every instant", (one) => {
    const pods = history.in(home);
    expect(pods.filter(({ name }) => name.startsWith(one.app)).length).toBeGreaterThan(
      one.replicas,
    );
    const floor = readyFloor(pods, one);
    expect(floor).toBeGreaterThanOrEqual(one.promised);
    expect(floor).toBeLessThan(one.replicas);
  });

  it("evicts pods and deletes none", () => {
    const done = audit.filter(({ stage, code = 0 }) => stage === "ResponseComplete" && code < 400);
    const evicted = done.filter(({ subresource }) => subresource === "eviction");
    expect(evicted.length).toBeGreaterThanOrEqual(28);
    expect(done.filter(({ verb, resource }) => verb === "delete" && resource === "pods")).toEqual(
      [],
    );
  });

  it("has at most four nodes more, and drains at most four old ones at once", () => {
    expect(seen.most).toBe(size + 4);
    expect(batches().map(({ length }) => length)).toEqual([4, 4, 2]);
  });

  it("does what `upgrade --dry-run` has said before", () => {
    const zoneOf = (name: string) => old.find((one) => one.name === name)?.zone;
    expect(planned).toMatchObject({ kind: "upgrade-plan", exitCode: 0, surge: 4, blockers: [] });
    expect(planned.turns.map((turn) => turn.map(zoneOf))).toEqual(
      batches().map((turn) => turn.map(zoneOf)),
    );
    expect(planned.turns.flat().toSorted()).toEqual(batches().flat().toSorted());
    const [raised] = told("upgrade-sized");
    expect(planned.sizesMeanwhile).toEqual({ min: 3, desired: raised?.desired, max: raised?.max });
  });

  it("is refused before while a pod would find no node, with the pod and the reason", () => {
    expect(refused).toMatchObject({ kind: "refused" });
    const [reason] = refused?.kind === "refused" ? refused.reasons : [];
    expect(reason).toMatch(
      /^UnschedulablePods: .*shop\/picky-\S+: its replacement finds no place: node selector \(13\);/,
    );
    expect(reason).not.toContain("shop/bound-");
    expect(planned).toMatchObject({ unplaced: [], unplacedRefuses: false });
  });

  it("lets new nodes join by the role that the launch hook has registered", async () => {
    const place = { name: "aws-auth", namespace: "kube-system" };
    const { data } = await core().readNamespacedConfigMap(place);
    const { mapRoles = "" } = data ?? {};
    expect(mapRoles).toContain(`role/${nodeRole}`);
    expect(joining.waited).toBe(true);
    const ends = told("notice-done").map(({ instance, outcome }) => `${instance} ${outcome.kind}`);
    const members = world.aws.autoScaling.register.instancesOf(group).map(({ id }) => id);
    expect(members).toHaveLength(size);
    // A node of the surge may have to go before it has joined.
    expect(ends).toEqual(expect.arrayContaining(members.map((id) => `${id} joined`)));
    expect(ends.filter((end) => end.endsWith(" joined")).length).toBeGreaterThan(size);
    expect(ends.filter((end) => end.endsWith(" not-joined"))).toEqual([]);
  });

  it("gives the group back its sizes, and leaves no tag but how it has ended", () => {
    const { tags, template, min, max, desired } = world.aws.autoScaling.register.findGroup(group);
    const { min: least, max: most, desired: wanted } = before;
    expect({ min, max, desired }).toEqual({ min: least, max: most, desired: wanted });
    expect(template).toMatchObject({ id: before.template.id, version: "2" });
    expect(tags.map(({ key }) => key)).toEqual([`${productName}/upgrade-ended`]);
  });

  it("tells at every old node, by Events that `kubectl describe node` shows, how it went", async () => {
    const events = await world.controlPlane
      .api(EventsV1Api)
      .listNamespacedEvent({ namespace: "default" });
    for (const reason of ["UpgradeChosen", "UpgradeDrained", "UpgradeReplaced"]) {
      const found = events.items.filter((one) => one.reason === reason);
      expect(found.map(({ regarding }) => regarding?.name).toSorted()).toEqual(
        old.map(({ name }) => name).toSorted(),
      );
    }
  });

  it("leaves no mark on any node", () => {
    const traces = nodes.flatMap(({ metadata, spec }) => [
      ...Object.keys(metadata?.annotations ?? {}).filter((key) => /lifecycle|autoscaler/.test(key)),
      ...(isExcludedBy(metadata?.labels) ? ["label"] : []),
      ...(spec?.unschedulable === true ? ["cordon"] : []),
      // A kubelet that a busy machine keeps waiting gets a taint of the control plane's own.
      ...(spec?.taints ?? [])
        .map(({ key }) => key)
        .filter((key) => !/not-ready|unreachable/.test(key)),
    ]);
    expect(traces).toEqual([]);
  });
});
