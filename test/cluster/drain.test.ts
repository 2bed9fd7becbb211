import { AppsV1Api, EventsV1Api } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { main } from "../../cli/main.ts";
import { seconds } from "../../lambda/base/time.ts";
import { outOfServiceTaint } from "../../lambda/interruption/left-node.ts";
import { demoNode } from "../../sandbox/scenarios/demo-ng.ts";
import { capturedIo } from "../cli/captured-io.ts";
import { jsonLines } from "../cli/json-lines-schema.ts";
import { stateChange } from "../termination-handler/event-bridge.ts";
import { inNamespaces, mutation, startWebhook } from "./admission-webhook.ts";
import { applyAdopted } from "./adopted-pods.ts";
import { type DrainSite, mostAtOnce, onlyOn, patience, startSites } from "./drain-sites.ts";
import { fenceIn } from "./fences.ts";
import { keepsPods } from "./keeps-pods.ts";
import {
  daemonSet,
  deployment,
  pod,
  podDisruptionBudget,
  replicaSet,
  statefulSet,
} from "./manifests.ts";
import { PodHistory } from "./pod-history.ts";
import { readyFloor } from "./ready-floor.ts";
import type { RealWorld } from "./real-world.ts";
import { roleEnvironment } from "./role-environment.ts";

vi.setConfig({ maxConcurrency: mostAtOnce, testTimeout: 240_000 });

const tags = {
  agents: {},
  broker: {},
  quorum: {},
  opened: {},
  held: { "eks-node-lifecycle/drain-timeout-seconds": "45" },
  unmoved: { "eks-node-lifecycle/drain-timeout-seconds": "45" },
  guarded: { "eks-node-lifecycle/drain-timeout-seconds": "30" },
  failed: { "eks-node-lifecycle/event-node-lingers-seconds": "2700" },
} as const;
const ownTaint = "example.com/draining=true:NoSchedule";
const settings = {
  DRAIN_TAINT: ownTaint,
  DRAIN_DAEMONSETS: "evict",
  EVENT_OUT_OF_SERVICE: "taint",
};
const quorum = { app: "rabbit", replicas: 3 };
const drained = { kind: "drained", attached: [], stuck: [] };

describe("a drain, over several passes, of a real node", () => {
  let world: RealWorld;
  let site: (name: keyof typeof tags) => DrainSite;

  beforeAll(async () => {
    ({ world, site } = await startSites(tags, {
      env: { MONITOR_GRACE: "20s" },
      settings,
      staying: ["refuge"],
      // A pass ends after 20 s, and the drain continues in the next one.
      timeout: seconds(65),
    }));
    await world.controlPlane.kubectlText("cordon", "at-refuge");
    await fenceIn(world.controlPlane, { ownTaint, outOfService: "taint" });
    for (const [name, value] of Object.entries(roleEnvironment(world))) vi.stubEnv(name, value);
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await world.stop();
  });

  it.concurrent("evicts the pods of DaemonSets last without waiting for them, and the taint keeps new ones away", async () => {
    const at = site("agents");
    const annotations = { "hollow/term-seconds": "15" };
    const own = { namespace: at.name, annotations };
    const spec = { ...onlyOn(at.name), tolerations: [] };
    const path = "/var/lib/kubelet/plugins_registry/";
    const volumes = [{ name: "registry", hostPath: { path } }];
    await world.controlPlane.apply(
      daemonSet({ ...own, name: "agent", spec }),
      daemonSet({ ...own, name: "csi", spec: { ...spec, volumes } }),
      daemonSet({ ...own, name: "net", spec: onlyOn(at.name) }),
    );
    await at.run("web", { annotations: { "hollow/term-seconds": "4" } });
    for (const name of ["agent", "csi", "net"]) await at.settled(name, 1);
    at.terminate();

    const { outcome, granted, stayed } = await at.drained();

    expect(outcome).toEqual(drained);
    const [agent = "", ...others] = stayed;
    expect(agent).toMatch(/^agent-/);
    expect(others).toEqual([expect.stringMatching(/^csi-/), expect.stringMatching(/^net-/)]);
    expect(granted.map(({ verb, pod }) => `${verb} ${pod}`)).toEqual([
      "evict web",
      `evict ${agent}`,
    ]);
    const [first, last] = granted.map((one) => one.at);
    expect((last ?? 0) - (first ?? 0)).toBeGreaterThanOrEqual(seconds(4));
    const wanted = async () => {
      const read = { name: "agent", namespace: at.name };
      const { status } = await world.controlPlane.api(AppsV1Api).readNamespacedDaemonSet(read);
      return status?.desiredNumberScheduled;
    };
    await vi.waitFor(async () => expect(await wanted()).toBe(0), patience);
    await at.settled("agent", 0);
  });

  it.concurrent("sees at the pod that a webhook makes its evictions dry runs, tells it, and deletes it in the end", async () => {
    const at = site("unmoved");
    const dryRun = { op: "add", path: "/deleteOptions/dryRun", value: ["All"] } as const;
    let asked = 0;
    const webhook = await startWebhook(async () => {
      asked += 1;
      return { patch: [dryRun] };
    });
    const evictions = mutation(webhook, {
      name: "dry-evictions",
      apiGroup: "",
      operation: "CREATE",
      resource: "pods/eviction",
      scope: inNamespaces(at.name),
    });
    await world.controlPlane.apply(evictions);
    const spec = { terminationGracePeriodSeconds: 5 };
    await at.run("web", { spec });
    const body = { metadata: { name: "web" }, deleteOptions: { dryRun: ["All"] } };
    await vi.waitFor(async () => {
      await at.core.createNamespacedPodEviction({ name: "web", namespace: at.name, body });
      expect(asked).toBeGreaterThan(0);
    }, patience);
    at.terminate();

    const { outcome, granted } = await at.drained();

    webhook.close();
    expect(outcome).toEqual(drained);
    const verbs = granted.map(({ verb }) => verb);
    expect(verbs.slice(0, 2)).toEqual(["evict", "evict"]);
    expect(verbs.at(-1)).toBe("delete");
    const [first, second] = granted.map((one) => one.at);
    // Seen after five seconds, and made again ten later, which may be in the next pass.
    expect((second ?? 0) - (first ?? 0)).toBeLessThan(seconds(30));
    expect(at.told("pod-refused")).toContainEqual(
      expect.objectContaining({ why: "without-effect" }),
    );
  });

  it.concurrent("takes two brokers of a quorum one after the other from two nodes that go at once, though they ask for a week of grace", async () => {
    const [at, other] = [site("broker"), site("quorum")];
    const week = { terminationGracePeriodSeconds: 604_800 };
    const broker = {
      namespace: at.name,
      labels: { app: "rabbit" },
      annotations: { "hollow/term-seconds": "4" },
    };
    const anywhere = { ...onlyOn("at-refuge"), tolerations: [{ operator: "Exists" }] };
    await applyAdopted(
      world.controlPlane,
      ...[at.name, other.name, "at-refuge"].map((nodeName, index) =>
        pod({ ...broker, name: `rabbit-${index}`, spec: { ...week, nodeName } }),
      ),
      replicaSet({ ...broker, name: "rabbit", replicas: 3, spec: { ...week, ...anywhere } }),
      podDisruptionBudget({
        ...broker,
        name: "rabbit",
        app: "rabbit",
        allows: { minAvailable: 2 },
      }),
    );
    await at.settled("rabbit", 3);
    const history = new PodHistory(world.controlPlane.kubeconfig);
    await vi.waitFor(() => expect(readyFloor(history.in(at.name), quorum)).toBe(3), patience);
    for (const one of [at, other]) one.terminate();

    const [first, second] = await Promise.all([at.drained(), other.drained()]);

    await history.stop();
    expect([first.outcome, second.outcome]).toEqual([drained, drained]);
    expect(first.granted.map(({ verb, pod: name }) => `${verb} ${name}`).toSorted()).toEqual([
      "evict rabbit-0",
      "evict rabbit-1",
    ]);
    expect(readyFloor(history.in(at.name), quorum)).toBe(2);
  });

  it.concurrent("marks a node again that somebody uncordons, before the pods that come are evicted", async () => {
    const at = site("opened");
    const replicas = 2;
    await at.run("held");
    await at.holdBack("held");
    await world.controlPlane.apply(
      replicaSet({ name: "web", namespace: at.name, replicas, spec: onlyOn(at.name) }),
    );
    await at.settled("web", replicas);
    /** All pods that come instead of those evicted wait for a place. */
    const allWait = () =>
      vi.waitFor(async () => {
        const pods = await at.pods();
        expect(pods.filter(({ spec }) => spec?.nodeName === undefined)).toHaveLength(replicas);
      }, patience);
    at.terminate();
    await allWait();

    await world.controlPlane.kubectlText("uncordon", at.name);
    await vi.waitFor(() => expect(at.told("node-marked")).toHaveLength(2), patience);
    await allWait();
    const evicted = (await at.granted()).filter(({ pod }) => pod.startsWith("web-"));
    await at.letGo();
    const { outcome, granted } = await at.drained();

    expect(evicted.length).toBeLessThanOrEqual(2 * replicas);
    expect(outcome).toEqual(drained);
    expect(new Set(granted.map(({ uid }) => uid)).size).toBe(granted.length);
  });

  it.concurrent("tells the readers of Events and of `status` its whole story: the start, the budget, its repetition, and the end by force", async () => {
    const at = site("held");
    const spec = { ...onlyOn(at.name), terminationGracePeriodSeconds: 5 };
    await world.controlPlane.apply(
      deployment({ name: "web", namespace: at.name, replicas: 2, spec }),
    );
    await at.settled("web", 2);
    await at.holdBack("web");
    at.terminate();
    await at.until("pods-held");
    const io = capturedIo();
    expect(await main(["status", demoNode.clusterName, "--json"], io)).toBe(0);
    const [told] = jsonLines(io);

    const { outcome } = await at.drained();

    const budget = expect.objectContaining({ budget: "at-held/hold", healthy: 2, allowed: 0 });
    const pods = Array(2).fill(expect.objectContaining({ budgets: [budget] }));
    const node = expect.objectContaining({ node: at.name, cause: "terminating", pods });
    expect(told).toMatchObject({
      gaps: [],
      held: expect.arrayContaining([
        expect.objectContaining({ instance: at.node.instanceId, node }),
      ]),
    });
    expect(outcome).toMatchObject({ kind: "forced" });
    const described = (...what: readonly string[]) =>
      world.controlPlane.kubectlText("describe", ...what);
    await vi.waitFor(async () => {
      const story = await described("node", at.name);
      expect(story).toMatch(/DrainStarted .*eks-node-lifecycle .*2 pods have to leave by 20/);
      expect(story).toMatch(/\(x\d+ over .*budget at-held\/hold.*2 healthy of 2 desired, 0 /);
      expect(story).toMatch(/DrainedByForce .*drained by force: at-held\/web-/);
    }, patience);
    const events = world.controlPlane.api(EventsV1Api);
    const ours = await vi.waitFor(async () => {
      const { items } = await events.listNamespacedEvent({ namespace: at.name });
      const found = items.filter((event) => event.reportingController === "eks-node-lifecycle");
      const reasons = new Set(found.map(({ reason }) => reason));
      expect(reasons).toEqual(new Set(["EvictionBlocked", "PodForced"]));
      return found;
    }, patience);
    const blocked = ours.find(({ reason }) => reason === "EvictionBlocked");
    expect(blocked).toMatchObject({ regarding: { kind: "ReplicaSet" }, type: "Warning" });
    expect(await described("replicaset", "--namespace", at.name)).toContain("EvictionBlocked");
  });

  it.concurrent("tells a deletion that a policy refuses at the deadline as one, with the budget that it would go past", async () => {
    const at = site("guarded");
    await world.controlPlane.apply(...keepsPods(at.name));
    await at.run("web", { spec: { terminationGracePeriodSeconds: 5 } });
    await at.holdBack("web");
    await vi.waitFor(async () => {
      const remove = at.core.deleteNamespacedPod({
        name: "web",
        namespace: at.name,
        dryRun: "All",
      });
      await expect(remove).rejects.toThrow("none goes");
    }, patience);
    at.terminate();

    const { outcome, granted } = await at.drained();

    const past = "budget at-guarded/hold (maxUnavailable 0)";
    const [refused] = at.told("pod-refused").filter(({ verb }) => verb === "delete");
    expect(refused).toMatchObject({ pod: "at-guarded/web", past, why: "denied" });
    expect(refused?.message).toMatch(/ValidatingAdmissionPolicy .*none goes/);
    expect(granted).toEqual([]);
    expect(outcome).toMatchObject({
      kind: "expired",
      left: [
        {
          about: "at-guarded/web",
          why: expect.stringContaining(`its deletion past ${past} was refused (denied): `),
        },
      ],
    });
  });

  it.concurrent("says of the node of an instance that is gone that it is out of service, so that its stateful pod moves while the node is still there", async () => {
    const at = site("failed");
    const db = { name: "db-0", namespace: at.name };
    const spec = onlyOn(at.name, "at-refuge");
    await world.controlPlane.apply(statefulSet({ name: "db", namespace: at.name, spec }));
    await at.settled("db", 1);
    await world.controlPlane.kubectlText("uncordon", "at-refuge");

    await world.controlPlane.pauseKubelet(at.name);
    world.aws.ec2.setState(at.node.instanceId, "terminated");
    const concerned = { instance: at.node.instanceId, now: () => world.aws.timeline.now() };
    const message = JSON.stringify(stateChange(concerned, "terminated"));
    world.aws.sns.publish(world.topicArn, { subject: "", message });

    const slow = { timeout: 180_000, interval: 500 };
    await vi.waitFor(async () => {
      const moved = await at.core.readNamespacedPod(db);
      expect(moved).toMatchObject({
        spec: { nodeName: "at-refuge" },
        status: { phase: "Running" },
      });
    }, slow);
    const { spec: left } = await at.core.readNode({ name: at.name });
    expect(left?.taints?.map(({ key }) => key)).toContain(outOfServiceTaint.key);
    expect(await at.granted()).toEqual([]);
  });
});
