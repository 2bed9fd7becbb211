import { setTimeout } from "node:timers/promises";
import { AppsV1Api, CoreV1Api, PatchStrategy, setHeaderOptions } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Dated } from "../../journal/entry.ts";
import { tryReadEntry } from "../../journal/entry-schema.ts";
import { productName, repairsGroup } from "../../lambda/base/contract.ts";
import { hours, instant, minutes, seconds } from "../../lambda/base/time.ts";
import { withoutNodeKey } from "../../lambda/repair/due-repair.ts";
import { illSinceAnnotation } from "../../lambda/repair/ill-since.ts";
import { instanceIn } from "../../sandbox/cloud-controller.ts";
import type { AuditEntry } from "./audit-log.ts";
import type { ClusterNode } from "./control-plane-options.ts";
import { demoRepairs } from "./demo-repairs.ts";
import { daemonSet, deployment, podDisruptionBudget } from "./manifests.ts";
import type { RealGroup } from "./real-groups.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";
import { joinAndLeave } from "./upgrade-site.ts";

const node = (name: string, zone: string): ClusterNode => ({
  name,
  instanceId: `i-${Buffer.from(name).toString("hex").padStart(17, "0")}`,
  zone: `eu-west-1${zone}`,
});
const silent = node("silent", "a");
const well = node("well", "c");
const broken = node("broken", "b");
const deleted = node("deleted", "c");
const never = node("never", "a");
const dazed = node("dazed", "c");
const tended = node("tended", "c");
const muddled = node("muddled", "c");
const latched = node("latched", "c");
const groups: readonly RealGroup[] = [
  { name: "hardware", nodes: [broken] },
  // A group without any node is this cluster's only by its tag.
  { name: "nodeless", nodes: [deleted], tags: { "kubernetes.io/cluster/demo": "owned" } },
  { name: "kernels", nodes: [dazed, tended, muddled] },
  { name: "links", nodes: [latched] },
];
const byText = (a: string, b: string): number => (a < b ? -1 : 1);
const patience = { timeout: 200_000, interval: 250 };
const repairs = {
  REPAIR_OVERRIDES: JSON.stringify([
    { condition: "Ready", reason: "*", minutes: 1, action: "replace" },
    { condition: "KernelReady", reason: "SoftLockup", minutes: 1, action: "reboot" },
    { condition: "KernelReady", reason: "KernelBug", minutes: 1, action: "none" },
    { condition: "NetworkingReady", reason: "*", minutes: 1, action: "replace" },
  ]),
  // Six of nine are more than would be repaired otherwise.
  REPAIR_MOST_ILL: "5",
  REPAIR_WITHOUT_NODE_SECONDS: "300",
  REPAIR_SECOND_OPINION: "restart-agent",
  REPAIR_TIMEOUT_SECONDS: "30",
};

describe("ill nodes that are repaired, on a real control plane", () => {
  let world: RealWorld;
  const looks = new AbortController();
  /** When somebody has first seen that an instance was declared unhealthy, by its id. */
  const declared = new Map<string, number>();
  let bootId: string | undefined;
  let brokenDue = 0;
  let silentSince = 0;
  let evictions: readonly string[];
  /** What the repair function has written to nodes. */
  let marks: readonly AuditEntry[];

  beforeAll(async () => {
    world = await startRealWorld({
      nodes: [silent, well],
      group: "silents",
      groups,
      repairs,
      settings: { DRAIN_SETTLE_SECONDS: "1" },
      // A kubelet renews its lease every ten seconds: a shorter grace lets well nodes cease to be ready between two of them.
      env: { MONITOR_GRACE: "20s" },
    });
    for (const { name } of world.aws.autoScaling.register.groups()) launchAgain(name);
    joinAndLeave(world, () => Promise.resolve(true));
    world.aws.ec2.onReboot(({ id }) => void reboot(id));
    world.aws.calls.onCall(({ action, parameters, outcome }) => {
      const { InstanceId: id }: { InstanceId?: string } = Object(parameters);
      if (action === "SetInstanceHealth" && outcome.kind === "answered" && id !== undefined)
        declared.set(id, Date.now());
    });
    await runWorkload();
    await world.controlPlane.apply(daemonSet(agent));
    const agentBefore = await agentsPod();
    await fallIll();
    void look();
    void findNothingAnew(agentBefore);
    await findMore();
    await awayForAWhile();
    const everReady = new Set<string>();
    await vi.waitFor(async () => {
      for (const id of await readyInstances()) everReady.add(id);
      expect([...declared.keys()].toSorted(byText)).toEqual(replaced.toSorted(byText));
      expect(instances().filter(({ id }) => replaced.includes(id))).toEqual([]);
      expect(instances().map(({ state }) => state)).toEqual(Array(9).fill("InService"));
      // Each by itself: a kubelet that a busy machine keeps waiting ceases to be ready for a while.
      expect([...everReady]).toEqual(expect.arrayContaining(instances().map(({ id }) => id)));
      expect(told("mark-undone")).not.toEqual([]);
      expect(await noteOn(dazed)).toBe("");
      expect(await noteOn(latched)).toBe("");
    }, patience);
    looks.abort();
    const audit = await world.controlPlane.audit({ userAgent: `${productName}/` });
    const done = audit.filter(({ stage, code = 0 }) => stage === "ResponseComplete" && code < 400);
    const evicting = done.filter(({ subresource }) => subresource === "eviction");
    evictions = evicting.map(({ name = "" }) => name);
    marks = done.filter(
      ({ groups: own, verb, resource, requestObject }) =>
        own.includes(repairsGroup) &&
        verb === "patch" &&
        resource === "nodes" &&
        !/ill-since|agent-restarted/.test(JSON.stringify(requestObject)),
    );
  }, 300_000);
  afterAll(async () => {
    looks.abort();
    await world.stop();
  });

  const replaced = [silent, broken, deleted, never].map(({ instanceId }) => instanceId);
  const core = () => world.controlPlane.api(CoreV1Api);
  const instances = () => world.aws.autoScaling.register.instances();
  const told = <Kind extends Dated["kind"]>(kind: Kind) =>
    world.log
      .flatMap((line) => tryReadEntry(line) ?? [])
      .filter((entry): entry is Extract<Dated, { kind: Kind }> => entry.kind === kind);

  function launchAgain(name: string): void {
    const { register } = world.aws.autoScaling;
    const desired = register.instancesOf(name).length;
    register.put({
      ...register.findGroup(name),
      desired,
      launches: "by-itself",
      shutdown: seconds(1),
    });
  }

  async function runWorkload(): Promise<void> {
    await world.controlPlane.apply(
      // The drain of a repair takes 30 seconds at most here, so it is to have time left for their grace.
      deployment({ name: "web", replicas: 8, spec: { terminationGracePeriodSeconds: 5 } }),
      podDisruptionBudget({ name: "web", app: "web", allows: { maxUnavailable: "50%" } }),
    );
    await vi.waitFor(async () => expect(await readyReplicas()).toBe(8), patience);
  }

  const readyReplicas = async () => {
    const apps = world.controlPlane.api(AppsV1Api);
    const { status } = await apps.readNamespacedDeployment({ name: "web", namespace: "default" });
    return status?.readyReplicas;
  };

  /** An earlier look has found that an instance has no node. */
  function foundLongAgo({ instanceId }: ClusterNode, name: string): void {
    const { register } = world.aws.autoScaling;
    const own = register.findGroup(name);
    const value = `${instanceId}=${new Date(Date.now() - minutes(10)).toISOString()}`;
    const tags = [...own.tags, { key: withoutNodeKey, value, propagated: false }];
    register.put({ ...own, tags });
  }

  /** A kubelet has created its node with a taint whose time no year of four digits has: the API server shows it as one of the year 10000. */
  const oddNode = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "odd" },
    spec: {
      providerID: "aws:///eu-west-1a/i-0000000000000odd0",
      taints: [{ key: "odd", effect: "NoExecute", timeAdded: "9999-12-31T23:59:59-23:59" }],
    },
  };

  async function fallIll(): Promise<void> {
    await world.controlPlane.apply(JSON.stringify(oddNode));
    await world.controlPlane.pauseKubelet(silent.name);
    await core().deleteNode({ name: deleted.name });
    age(deleted);
    world.aws.ec2.run({ id: never.instanceId, zone: never.zone, privateIp: "10.0.0.9" });
    age(never);
    const { instanceId: id, zone } = never;
    world.aws.autoScaling.attach({ id, zone, group: "silents" });
    foundLongAgo(deleted, "nodeless");
    foundLongAgo(never, "silents");
    // Kubernetes counts in whole seconds.
    const since = Math.floor(Date.now() / 1000) * 1000 - minutes(10) + seconds(25);
    brokenDue = since + minutes(10);
    const unfit = { type: "AcceleratedHardwareReady", reason: "NvidiaDeviceNotFound" };
    await setCondition(broken.name, { ...unfit, status: "False" }, since);
    const seen = `${unfit.type} ${unfit.reason} ${new Date(since).toISOString()}`;
    await core().patchNode({ name: broken.name, body: noted(seen) }, merging);
    ({ bootID: bootId } = (await nodeInfo(dazed.name)) ?? {});
    silentSince = await vi.waitFor(() => unreadySince(silent.name), patience);
    const works = { type: "MaintenanceInProgress", reason: "MaintenanceWindow", status: "True" };
    await setCondition(tended.name, works);
    await setCondition(tended.name, locked, Date.now() - minutes(2));
    await setCondition(dazed.name, locked, lockedSince);
    await setCondition(muddled.name, { ...unsure, reason: "DCGMError" }, longAgo);
    await setCondition(latched.name, { ...link, status: "False" }, Date.now() - minutes(2));
  }

  const link = { type: "NetworkingReady", reason: "InterfaceNotUp" };
  const agent = { name: "eks-node-monitoring-agent", namespace: "kube-system" };
  const agentsPod = () =>
    vi.waitFor(async () => {
      const { items } = await core().listNamespacedPod({ namespace: agent.namespace });
      const its = items.find(
        ({ spec, status, metadata }) =>
          spec?.nodeName === latched.name &&
          status?.phase === "Running" &&
          metadata?.deletionTimestamp === undefined,
      );
      expect(its).toBeDefined();
      return its?.metadata?.uid ?? "";
    }, patience);

  /** A new pod of the agent has forgotten what the old one has found, and finds nothing. */
  async function findNothingAnew(before: string): Promise<void> {
    await vi.waitFor(async () => expect(await agentsPod()).not.toBe(before), patience);
    await setCondition(latched.name, { ...link, reason: "NetworkingIsReady", status: "True" });
  }

  const locked = { type: "KernelReady", reason: "SoftLockup", status: "False" };
  const unsure = { type: "AcceleratedHardwareReady", status: "False" };
  // What was first seen soon after it began is dated by its condition.
  const lockedSince = Date.now();
  const longAgo = Date.now() - hours(1);
  const noted = (text: string) => ({ metadata: { annotations: { [illSinceAnnotation]: text } } });
  const merging = setHeaderOptions("Content-Type", PatchStrategy.MergePatch);
  const noteOn = async ({ name }: ClusterNode): Promise<string> =>
    (await core().readNode({ name })).metadata?.annotations?.[illSinceAnnotation] ?? "";

  /** The agent finds more: it shows the newest reason, beside the oldest time. */
  async function findMore(): Promise<void> {
    await vi.waitFor(async () => expect(await noteOn(dazed)).toContain("SoftLockup"), patience);
    await setCondition(dazed.name, { ...locked, reason: "KernelBug" }, lockedSince);
    await vi.waitFor(async () => expect(await noteOn(muddled)).toContain("DCGMError"), patience);
    await setCondition(muddled.name, { ...unsure, reason: "NvidiaDeviceCountMismatch" }, longAgo);
  }

  /** Somebody deletes the Node of an instance that was launched long ago, and it is back after a few looks. */
  async function awayForAWhile(): Promise<void> {
    age(well);
    const { metadata, spec } = await core().readNode({ name: well.name });
    const { name, labels, annotations } = metadata ?? {};
    await core().deleteNode({ name: well.name });
    await vi.waitFor(() => expect(foundWithoutNode()).toContain(well.instanceId), patience);
    await setTimeout(4000);
    await core().createNode({ body: { metadata: { name, labels, annotations }, spec } });
  }

  /** What looks have written of instances that had no node. */
  const foundWithoutNode = (): string =>
    JSON.stringify(world.aws.calls.of("CreateOrUpdateTags").map(({ parameters }) => parameters));

  /** When a node has ceased to be ready, which on a busy machine may be before its kubelet is stopped. */
  async function unreadySince(name: string): Promise<number> {
    const { status } = await core().readNode({ name });
    const ready = status?.conditions?.find(({ type }) => type === "Ready");
    expect(ready?.status).toBe("Unknown");
    return ready?.lastTransitionTime?.getTime() ?? Number.NaN;
  }

  /** An instance was launched twenty minutes ago. */
  function age({ instanceId: id }: ClusterNode): void {
    const launchedAt = instant(Date.now() - minutes(20));
    world.aws.ec2.run({ ...world.aws.ec2.find(id), launchedAt });
  }

  /** Writes a condition as EKS' node monitoring agent does. */
  async function setCondition(name: string, found: object, since = Date.now()): Promise<void> {
    const [lastHeartbeatTime, lastTransitionTime] = [new Date(), new Date(since)];
    const condition = { ...found, message: "", lastHeartbeatTime, lastTransitionTime };
    await core().patchNodeStatus(
      { name, body: { status: { conditions: [condition] } } },
      setHeaderOptions("Content-Type", PatchStrategy.StrategicMergePatch),
    );
  }

  const nodeInfo = async (name: string) => (await core().readNode({ name })).status?.nodeInfo;

  /** A machine boots anew, and its agent finds the kernel well. */
  async function reboot(id: string): Promise<void> {
    const { items } = await core().listNode();
    const name = items.find(({ spec }) => instanceIn(spec?.providerID) === id)?.metadata?.name;
    if (name === undefined) return;
    await world.controlPlane.rebootNode(name);
    await setCondition(name, { type: "KernelReady", reason: "KernelIsReady", status: "True" });
  }

  /** Does what the schedule does, only more often. */
  async function look(): Promise<void> {
    while (!looks.signal.aborted) {
      world.lookForRepairs();
      await setTimeout(2000);
    }
  }

  async function readyInstances(): Promise<readonly string[]> {
    const { items } = await core().listNode();
    const ready = items.filter(({ status }) =>
      status?.conditions?.some((one) => one.type === "Ready" && one.status === "True"),
    );
    return ready.map(({ spec }) => instanceIn(spec?.providerID));
  }

  it("replaces the node of a stopped kubelet, an unfit one, one that was deleted, and an instance that never joined", () => {
    expect(
      replaced.map(
        (id) => world.aws.autoScaling.actions().filter((one) => one.instanceId === id).length,
      ),
    ).toEqual([1, 1, 1, 1]);
    const by = world.aws.calls.of("SetInstanceHealth").map(({ principal }) => principal);
    expect(by.filter((principal) => !principal.includes(demoRepairs.role.name))).toEqual([]);
    const begun = told("repair-begun").map(
      ({ instance, action, cause }) => `${instance} ${action} ${cause.split("/")[0]}`,
    );
    // Two looks that overlap may both begin with an instance without a node, and its group ends it once.
    const isAgain = (one: string, at: number) => one.endsWith("NoNode") && begun.indexOf(one) < at;
    expect(begun.filter((one, at) => !isAgain(one, at)).toSorted(byText)).toEqual(
      [
        `${silent.instanceId} replace Ready`,
        `${broken.instanceId} replace AcceleratedHardwareReady`,
        `${deleted.instanceId} replace NoNode`,
        `${never.instanceId} replace NoNode`,
        `${dazed.instanceId} reboot KernelReady`,
      ].toSorted(byText),
    );
  });

  it("waits as long as the rule of a condition says: ten minutes for an accelerator, as the managed original does", () => {
    expect(declared.get(broken.instanceId)).toBeGreaterThanOrEqual(brokenDue);
    expect(declared.get(silent.instanceId)).toBeGreaterThanOrEqual(silentSince + minutes(1));
    for (const { instanceId } of [broken, silent])
      expect(told("repair-ill").filter(({ instance }) => instance === instanceId)).not.toEqual([]);
  });

  it("leaves an instance alone whose Node was deleted by hand and came back, however old the instance", () => {
    expect(foundWithoutNode()).toContain(well.instanceId);
    expect(declared.has(well.instanceId)).toBe(false);
    expect(instances().map(({ id }) => id)).toContain(well.instanceId);
  });

  it("has every replaced instance drained by the function of the terminate hook, which then lets it go", async () => {
    const ends = world.aws.autoScaling.actions().map(({ instanceId, end }) => [instanceId, end]);
    expect(ends).toHaveLength(4);
    for (const [, end] of ends) expect(end).toMatchObject({ result: "CONTINUE", by: "call" });
    const done = () =>
      told("notice-done").filter(({ instance = "" }) => replaced.includes(instance));
    // A notice comes back after its drain, to remove a node that is still there; a slow machine sees that too.
    const drained = () => done().filter(({ outcome }) => outcome.kind !== "nothing-left");
    await expect
      .poll(() => drained().map(({ instance, outcome }) => [instance, outcome.kind]), patience)
      .toHaveLength(4);
  });

  it("has the pods of an ill node evicted by then, and they are ready elsewhere", async () => {
    for (const { name } of [silent, broken]) {
      const held = told("pods-seen").filter(({ node: seen }) => seen === name);
      const evicted = evictions.filter((pod) =>
        held.some(({ holding }) => holding.includes(`default/${pod}`)),
      );
      expect(evicted, name).not.toEqual([]);
    }
    await vi.waitFor(async () => expect(await readyReplicas()).toBe(8), patience);
  });

  it("marks an ill node before its group hears of it, and no other node", () => {
    for (const { name, instanceId } of [silent, broken]) {
      const [first] = marks.filter((one) => one.name === name);
      expect(first?.requestObject).toMatchObject({ spec: { unschedulable: true } });
      expect(Date.parse(first?.at ?? "")).toBeLessThan(declared.get(instanceId) ?? 0);
    }
    const names = new Set(marks.map(({ name }) => name));
    expect(names).toEqual(new Set([silent.name, broken.name, dazed.name]));
  });

  it("reboots one though the agent shows a reason by then that asks for nothing", () => {
    const [begun] = told("repair-begun").filter(({ instance }) => instance === dazed.instanceId);
    expect(begun?.cause).toBe("KernelReady/SoftLockup");
    const [last] = told("repair-ill").filter(({ instance }) => instance === dazed.instanceId);
    expect(last?.since).toBe(new Date(Math.floor(lockedSince / 1000) * 1000).toISOString());
  });

  it("takes a new reason beside an old time for as young as it is, and writes down both", async () => {
    expect(declared.has(muddled.instanceId)).toBe(false);
    expect(instances().map(({ id }) => id)).toContain(muddled.instanceId);
    expect(await noteOn(muddled)).toMatch(
      /^AcceleratedHardwareReady DCGMError \S+, AcceleratedHardwareReady NvidiaDeviceCountMismatch \S+$/,
    );
    const [found] = told("repair-ill").filter(({ instance }) => instance === muddled.instanceId);
    expect(Date.parse(found?.since ?? "")).toBeGreaterThan(lockedSince);
  });

  it("restarts the agent that alone calls a node ill, once, and repairs nothing when the new one finds nothing", () => {
    expect(told("repair-agent-restarted")).toMatchObject([
      { node: latched.name, instance: latched.instanceId, cause: "NetworkingReady/InterfaceNotUp" },
    ]);
    expect(declared.has(latched.instanceId)).toBe(false);
    expect(told("repair-begun").map(({ instance }) => instance)).not.toContain(latched.instanceId);
  });

  it("leaves a node alone on which somebody works", () => {
    const held = told("repair-held").filter(({ brake }) => brake === "maintenance");
    expect(held[0]?.instances).toEqual([tended.instanceId]);
    expect(marks.map(({ name }) => name)).not.toContain(tended.name);
  });

  it("reboots a machine once its node is drained, and opens the node when it is well", async () => {
    const { bootID } = (await nodeInfo(dazed.name)) ?? {};
    expect(bootID).not.toBe(bootId);
    expect(world.aws.calls.of("RebootInstances")).toHaveLength(1);
    const { metadata, spec } = await core().readNode({ name: dazed.name });
    expect(spec?.unschedulable).toBeUndefined();
    expect(
      Object.keys(metadata?.annotations ?? {}).filter((key) => key.startsWith(productName)),
    ).toEqual([]);
  });
});
