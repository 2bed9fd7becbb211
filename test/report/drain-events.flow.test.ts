import { describe, expect, it } from "vitest";
import { minutes, seconds } from "../../lambda/base/time.ts";
import type { KubeFault } from "../../sandbox/kubernetes/api/planned-faults.ts";
import type { KubeEvent } from "../../sandbox/kubernetes/kube-event.ts";
import { changeBudget } from "../world/change.ts";
import { interrupt, recommend, tellOfHold } from "../world/ec2-events.ts";
import { endingsIn, eventsIn, evictedIn, isTelling, outcomesIn } from "../world/evidence.ts";
import { failing, well } from "../world/fault-plan.ts";
import { LaunchWorld, launched } from "../world/launch-world.ts";
import { refusal } from "../world/refusal.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy } from "../world/workloads.ts";
import { nodeOf, type WorldOptions } from "../world/world-options.ts";

const inShort = ({ reason, regarding, series }: KubeEvent): string =>
  [reason, regarding.kind, ...(series ? ["series"] : [])].join(" ");

/** The Events in the order of their times, in short. */
const told = (world: VirtualWorld): readonly string[] =>
  eventsIn(world)
    .toSorted((a, b) => Date.parse(a.eventTime) - Date.parse(b.eventTime))
    .map(inShort);

const noteOf = (world: VirtualWorld, reason: string): string =>
  eventsIn(world).find((event) => event.reason === reason)?.note ?? "";

/** A world with pods on the node that is drained first. */
function aWorld(options: WorldOptions = {}, pods = 3): VirtualWorld {
  const world = new VirtualWorld(options);
  deploy(world, { name: "web", on: { 1: pods } });
  return world;
}

async function drained(world: VirtualWorld): Promise<VirtualWorld> {
  world.pass(seconds(10));
  await world.drain();
  return world;
}

/** Lets every request fail that tells an Event. */
const mute = (world: VirtualWorld, fault: KubeFault) => {
  world.faults = failing(/\bevents\b/, fault);
};

describe("the Events of a drain", () => {
  it("are two where nothing holds it up, and none for an eviction", async () => {
    const world = await drained(aWorld());
    expect(told(world)).toEqual(["DrainStarted Node", "Drained Node"]);
    expect(noteOf(world, "DrainStarted")).toBe(
      "instance i-00000000000000001 (terminating): 3 pods have to leave by 2026-11-20T10:15:10.000Z, 0 stay",
    );
    expect(evictedIn(world)).toHaveLength(3);
  });

  it("begin as soon as the node of a Spot instance is marked, and are no more than two", async () => {
    const world = aWorld();
    interrupt(world);
    await world.work();
    expect(told(world)).toEqual(["DrainStarted Node", "Drained Node"]);
    expect(noteOf(world, "DrainStarted")).toBe(
      "instance i-00000000000000001 (interrupted): its pods are asked to leave in 3 s, and have to by 2026-11-20T10:01:45.000Z",
    );
  });

  it("tell of a budget once at the node and once at the pods' controller, and become series with further passes", async () => {
    const world = aWorld();
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    world.in(minutes(6), () => changeBudget(world, "web", { maxUnavailable: 3 }));
    await drained(world);
    expect(told(world).toSorted()).toEqual([
      "DrainStarted Node",
      "Drained Node",
      "EvictionBlocked ReplicaSet series",
      "WaitingForBudget Node series",
    ]);
    expect(noteOf(world, "WaitingForBudget")).toBe(
      "budget default/web (3 healthy of 3 desired, 0 disruptions allowed) holds 3 pods: default/web-1, default/web-2, default/web-3",
    );
    const counts = eventsIn(world).flatMap(({ series }) => series?.count ?? []);
    expect(Math.min(...counts)).toBeGreaterThan(2);
  });

  it("tell of pods that are forced, each at itself, and of the end by force", async () => {
    const world = aWorld({ settings: { DRAIN_TIMEOUT_SECONDS: "40" } }, 1);
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    await drained(world);
    expect(told(world).slice(-2)).toEqual(["PodForced Pod", "DrainedByForce Node"]);
    expect(noteOf(world, "PodForced")).toMatch(/^deleted past budget default\/web .*, with \d+ s/);
  });

  it("tell of at most ten forced pods, and of the end all the same", async () => {
    const world = aWorld({ settings: { DRAIN_TIMEOUT_SECONDS: "40" } }, 30);
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    await drained(world);
    expect(told(world).filter((one) => one.startsWith("PodForced"))).toHaveLength(10);
    expect(told(world).at(-1)).toBe("DrainedByForce Node");
  });

  it("tell of a forced pod though somebody has more than ten others forced in another namespace, and of 50 in all", async () => {
    const world = new VirtualWorld({ settings: { DRAIN_TIMEOUT_SECONDS: "40" } });
    const labels = { app: "held" };
    const held = (namespace: string, count: number): void => {
      for (let index = 1; index <= count; index += 1)
        world.cluster.addPod({ name: `held-${index}`, namespace, node: nodeOf(1), labels });
      const selector = { matchLabels: labels };
      world.cluster.addBudget({ name: "held", namespace, maxUnavailable: 0, selector });
    };
    held("a-tenant", 12);
    held("b", 1);
    for (const namespace of ["c", "d", "e", "f"]) held(namespace, 11);
    await drained(world);

    const forced = eventsIn(world).filter(({ reason }) => reason === "PodForced");
    const of = (namespace: string) =>
      forced.filter(({ regarding }) => regarding.namespace === namespace);
    expect([of("a-tenant"), of("b")].map(({ length }) => length)).toEqual([10, 1]);
    expect(forced).toHaveLength(50);
  });

  it("tell of protected pods, at the node and at each of them", async () => {
    const world = new VirtualWorld({ settings: { DRAIN_FORCE: "never" } });
    const annotations = { "karpenter.sh/do-not-disrupt": "true" };
    deploy(world, { name: "kept", annotations, on: { 1: 1 } });
    await drained(world);
    expect(new Set(told(world))).toEqual(
      new Set([
        "DrainStarted Node",
        "WaitingForProtectedPods Node series",
        "PodProtected Pod series",
        "DrainExpired Node",
      ]),
    );
    expect(noteOf(world, "PodProtected")).toMatch(/^protected by its annotation karpenter/);
  });

  it("tell of the second pass after a crash nothing that the first has told", async () => {
    const world = aWorld();
    const names = () => eventsIn(world).map(({ metadata }) => metadata.name);
    let once = 0;
    world.faults = ({ what }) => {
      const isDeath = /eviction web-2/.test(what) && once++ === 0;
      return isDeath ? { kind: "death", moment: "after" } : well;
    };
    await drained(world);
    expect(once).toBeGreaterThan(0);
    expect(world.told("pass-started").length).toBeGreaterThan(1);
    expect(told(world)).toEqual(["DrainStarted Node", "Drained Node"]);
    expect(new Set(names()).size).toBe(2);
  });

  it("warn of a nearer deadline of another notice", async () => {
    const world = aWorld();
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    world.in(minutes(3), () => interrupt(world));
    await drained(world);
    expect(noteOf(world, "DrainHurried")).toBe(
      "interrupted: to be drained by 2026-11-20T10:04:45.000Z",
    );
  });

  it("warn of no nearer deadline where a peer has set the mark ahead, without one", async () => {
    const world = aWorld();
    world.terminate(1);
    await world.drop();
    world.terminate(2);
    await world.work(seconds(30));
    tellOfHold(world);
    await world.work();
    expect(world.told("mark-tightened")).toMatchObject([{ node: nodeOf(1), markOf: "peer" }]);
    expect(new Set(told(world))).toEqual(new Set(["DrainStarted Node", "Drained Node"]));
  });

  it("tell of a cordon for an instance at risk, and that it is taken back", async () => {
    const world = aWorld();
    recommend(world);
    await world.work();
    expect(told(world)).toEqual(["CordonedAtRisk Node", "DrainCalledOff Node"]);
  });

  it("are not there without the setting, and cost no request then", async () => {
    const world = await drained(aWorld({ settings: { EVENTS: "off" } }));
    expect(told(world)).toEqual([]);
    expect(world.cluster.audit.filter(isTelling)).toEqual([]);
    expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
  });

  it("are not there in a dry run, which changes nothing in the cluster", async () => {
    const world = await drained(aWorld({ settings: { DRAIN_MODE: "dry-run" } }));
    expect(outcomesIn(world)).toMatchObject([{ kind: "dry-run" }]);
    expect(told(world)).toEqual([]);
  });
});

describe("a drain whose Events the API server does not take", () => {
  const endOf = (world: VirtualWorld) => world.told("hook-completed").map(({ at }) => at);

  it.each<[string, KubeFault]>([
    ["forbids", refusal(403, "events is forbidden")],
    ["breaks", refusal(500, "etcd is full")],
    ["never answers", "hang"],
    ["cuts off", "reset"],
    ["throttles", { status: 429, headers: { "retry-after": "30" } }],
  ])(
    "ends as it would without, at the same moment, and says so once in a pass: it %s",
    async (_, fault) => {
      const world = aWorld();
      mute(world, fault);
      const mutes = await drained(world);
      const without = await drained(aWorld({ settings: { EVENTS: "off" } }));
      expect(endOf(mutes)).toEqual(endOf(without));
      expect(endingsIn(mutes)).toEqual(["CONTINUE by call"]);
      const about = "Events of Kubernetes";
      const warnings = mutes.told("warning").filter((one) => one.about === about);
      expect(warnings).toHaveLength(mutes.told("pass-started").length);
    },
  );

  it("tells of all else where the API server takes none in one namespace, such as one whose quota somebody has filled", async () => {
    const world = new VirtualWorld({ settings: { DRAIN_TIMEOUT_SECONDS: "40" } });
    const [labels, namespace] = [{ app: "held" }, "tenant"];
    for (const index of [1, 2, 3, 4, 5])
      world.cluster.addPod({ name: `held-${index}`, namespace, node: nodeOf(1), labels });
    const selector = { matchLabels: labels };
    world.cluster.addBudget({ name: "held", namespace, maxUnavailable: 0, selector });
    const refused: string[] = [];
    world.faults = ({ what, body }) => {
      if (!/^create events/.test(what) || !body.includes('"namespace":"tenant"')) return well;
      refused.push(what);
      const fault = refusal(403, "exceeded quota: events");
      return { kind: "cluster-fault", fault, moment: "before" };
    };
    await drained(world);
    expect(refused).toHaveLength(3);
    expect(told(world).at(-1)).toBe("DrainedByForce Node");
  });

  it("holds up no message for longer than two seconds", async () => {
    const world = aWorld();
    mute(world, { slow: seconds(2) });
    await drained(world);
    const [done] = world.told("notice-done");
    expect(world.timeline.now() - (done?.at ?? 0)).toBeLessThanOrEqual(seconds(2));
  });
});

describe("the Events of a launch", () => {
  it("tell that its role may join, and that its node is ready", async () => {
    const world = new LaunchWorld({ mapRoles: "" });
    world.launch();
    await world.work(seconds(20));
    world.join();
    await world.work();
    expect(told(world)).toEqual([
      "RoleRegistered Node",
      "NodeRoleMapped ConfigMap",
      "LaunchCompleted Node",
    ]);
    expect(eventsIn(world).map(({ regarding }) => regarding.name)).toEqual(
      expect.arrayContaining([launched.id, launched.node]),
    );
  });

  it("tell that its node was not ready in time", async () => {
    const world = new LaunchWorld({ mapRoles: "" });
    world.launch();
    await world.work();
    expect(told(world)).toEqual([
      "RoleRegistered Node",
      "NodeRoleMapped ConfigMap",
      "LaunchExpired Node",
    ]);
    expect(noteOf(world, "LaunchExpired")).toMatch(/^completed with CONTINUE: /);
  });
});
