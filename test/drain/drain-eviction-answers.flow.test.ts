import { describe, expect, it } from "vitest";
import { between, later, minutes, seconds } from "../../lambda/base/time.ts";
import type { KubeFault } from "../../sandbox/kubernetes/api/planned-faults.ts";
import { deletePod } from "../world/change.ts";
import { deletionsIn, endingsIn, evictionsIn, outcomesIn, took } from "../world/evidence.ts";
import { failing, well } from "../world/fault-plan.ts";
import { refusal } from "../world/refusal.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { critical, deploy, namesOn } from "../world/workloads.ts";
import { nodeOf } from "../world/world-options.ts";

/**
 * A world with a StatefulSet's `db-0`, which no watch shows. The first eviction of `db-0` gets
 * this answer, and a new pod replaces it.
 */
function replacing(fault: KubeFault): VirtualWorld {
  const world = new VirtualWorld();
  world.cluster.addStatefulSet({ name: "db", pods: [{ name: "db-0", node: nodeOf(1) }] });
  let asked = 0;
  world.faults = ({ what }) => {
    if (what === "watch pods") return { kind: "cluster-fault", fault: "hang", moment: "before" };
    if (!what.startsWith("create pods/eviction db-0")) return well;
    asked += 1;
    if (asked > 1) return well;
    deletePod(world, "db-0");
    return { kind: "cluster-fault", fault, moment: "before" };
  };
  return world;
}

/** A world in which the first eviction of `web-1` gets this answer and has no effect. */
function answering(fault: KubeFault): VirtualWorld {
  const world = new VirtualWorld();
  deploy(world, { name: "web", on: { 1: 1 } });
  world.faults = failing(/^create pods\/eviction web-1/, fault, 1);
  return world;
}

const status = (code: number, more: object = {}) => ({
  kind: "Status",
  apiVersion: "v1",
  status: "Failure",
  message: "no",
  code,
  ...more,
});

const budget = { details: { causes: [{ reason: "DisruptionBudget", message: "not now" }] } };

describe("an eviction answered with a successful status and a body", () => {
  it.each<[object, string]>([
    [{ code: 429, ...budget }, "blocked"],
    [{ code: 429 }, "throttled"],
    [{ code: 409 }, "conflict"],
    [{ code: 500 }, "unclear"],
    [{ code: undefined }, "unclear"],
    [{ code: 200 }, "unclear"],
  ])("fails as the body says: %j", async (more, why) => {
    const world = answering({ status: 201, body: { ...status(0), ...more } });
    await world.drain();
    expect(world.told("pod-refused")).toMatchObject([{ pod: "default/web-1", why }]);
    expect(evictionsIn(world)).toHaveLength(2);
    expect(namesOn(world, 1)).toEqual([]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });
});

describe("an eviction that is answered with success and has no effect", () => {
  const success: KubeFault = { status: 201, body: { ...status(201), status: "Success" } };
  const looks = ({ cluster }: VirtualWorld) =>
    cluster.audit.filter(({ requestURI }) => requestURI.includes("metadata.name%3Dweb-1")).length;

  it("is found out by a look at the pod after five seconds, told, and made again", async () => {
    const world = answering(success);
    await world.drain();
    const [refused, ...others] = world.told("pod-refused");
    expect(refused).toMatchObject({ pod: "default/web-1", why: "without-effect" });
    expect(others).toEqual([]);
    expect(Number(refused?.at) - Number(evictionsIn(world)[0]?.at)).toBe(seconds(5));
    expect(evictionsIn(world)).toHaveLength(2);
    expect(looks(world)).toBe(2);
    expect(namesOn(world, 1)).toEqual([]);
    expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
  });

  it.each([1, 30, 900])(
    "is followed by a deletion where force is due, with a grace of %i s, and by an eviction in ten seconds at most until then",
    async (grace) => {
      const world = new VirtualWorld();
      const spec = { terminationGracePeriodSeconds: grace };
      deploy(world, { name: "web", spec, on: { 1: 1, 2: 1 } });
      world.cluster.addBudget({ name: "web", maxUnavailable: 1 });
      world.pass(seconds(10));
      world.faults = failing(/^create pods\/eviction web-1/, success);
      const begun = world.timeline.now();
      await world.drain();
      const [deletion] = deletionsIn(world);
      const due = Math.max(450, 900 - grace);
      expect(between(begun, deletion?.at ?? begun) / 1000).toBeGreaterThanOrEqual(due);
      expect(between(begun, deletion?.at ?? begun) / 1000).toBeLessThanOrEqual(due + 6);
      expect(evictionsIn(world).length).toBeLessThanOrEqual(due / 10);
      expect(outcomesIn(world)).toMatchObject([{ kind: expect.stringMatching(/drained|forced/) }]);
    },
  );

  it("nor has its deletion: the pod is looked at, and counts neither as deleted nor as forced", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 1 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    const deleted = { ...success, status: 200 };
    world.faults = failing(/^delete pods web-1/, deleted);
    await world.drain();
    expect(world.told("pod-refused")).toContainEqual(
      expect.objectContaining({
        why: "without-effect",
        message: expect.stringMatching(/deletions/),
      }),
    );
    expect(deletionsIn(world).length).toBeGreaterThan(1);
    expect(deletionsIn(world).length).toBeLessThanOrEqual(4);
    expect(outcomesIn(world)).toMatchObject([
      { kind: "expired", left: [{ about: "default/web-1" }] },
    ]);
    expect(JSON.stringify(outcomesIn(world))).not.toContain("deleted past");
    expect(JSON.stringify(outcomesIn(world))).toContain("its deletion had no effect");
  });

  it("is sent again each time, and never answered from memory", async () => {
    const world = new VirtualWorld({ settings: { DRAIN_TIMEOUT_SECONDS: "120" } });
    const spec = { terminationGracePeriodSeconds: 10 };
    deploy(world, { name: "web", spec, on: { 1: 1, 2: 1 } });
    world.faults = failing(/^create pods\/eviction web-1/, success);
    const begun = world.timeline.now();
    await world.drain();
    const asked = evictionsIn(world).map(({ at }) => between(begun, at) / 1000);
    const pauses = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
    expect(asked.length).toBeGreaterThanOrEqual(6);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(20);
    const [deletion] = deletionsIn(world);
    expect(between(begun, deletion?.at ?? begun) / 1000).toBeGreaterThanOrEqual(110);
    expect(between(begun, deletion?.at ?? begun) / 1000).toBeLessThanOrEqual(112);
    expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
  });

  it("costs no look where the pod shows that it ends", async () => {
    const world = new VirtualWorld();
    const annotations = { "hollow/term-seconds": "20" };
    deploy(world, { name: "web", annotations, on: { 1: 1 } });
    await world.drain();
    expect(looks(world)).toBe(0);
  });
});

describe("a pod that the drain reads again before the next eviction", () => {
  it.each<[string, KubeFault]>([
    ["in conflict", refusal(409, "Conflict")],
    ["with no clear answer", refusal(500, "InternalError")],
    ["refused", refusal(403, "Forbidden")],
  ])("is not evicted again if it was %s and then replaced unseen", async (_, fault) => {
    const world = replacing(fault);
    await world.drain();
    expect(evictionsIn(world).map(({ what }) => what)).toHaveLength(1);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });

  it("is evicted in the end if it is still the same pod", async () => {
    const world = answering(refusal(409, "Conflict"));
    await world.drain();
    expect(evictionsIn(world).map(({ what }) => what)).toEqual([
      "create pods/eviction web-1 409",
      "create pods/eviction web-1 201",
    ]);
    expect(took(world)).toBe(seconds(5));
  });

  it("is not evicted while the API server does not show it", async () => {
    const world = answering(refusal(409, "Conflict"));
    const { faults } = world;
    const silence = later(world.timeline.now(), seconds(40));
    world.faults = (request) =>
      request.what === "list pods" && evictionsIn(world).length > 0 && request.at < silence
        ? { kind: "cluster-fault", fault: refusal(500, "InternalError"), moment: "before" }
        : faults(request);
    await world.drain(seconds(40));
    expect(evictionsIn(world)).toHaveLength(1);
    expect(world.told("fault")).toEqual([]);
    expect(world.told("pod-refused").at(-1)).toMatchObject({ why: "unclear" });
    await world.work();
    expect(evictionsIn(world)).toHaveLength(2);
    expect(namesOn(world, 1)).toEqual([]);
  });

  it.each<[string, KubeFault]>([
    [
      "the server was only too busy",
      { status: 429, headers: { "retry-after": "1" }, body: "later" },
    ],
    ["its budget refused", { status: 429, body: status(429, budget) }],
  ])("costs no request where %s", async (_, fault) => {
    const world = answering(fault);
    await world.drain();
    expect(evictionsIn(world)).toHaveLength(2);
    expect(world.requests.filter(({ what }) => what === "list pods")).toHaveLength(2);
  });
});

describe("a server that has trouble with one pod", () => {
  it.each([500, 503, 504])(
    "(HTTP %d) delays that pod as long as it says, and no other",
    async (code) => {
      const world = new VirtualWorld({ settings: { DRAIN_CONCURRENCY: "1" } });
      deploy(world, { name: "web", on: { 1: 3 } });
      const body = status(code, { reason: "Timeout", details: { retryAfterSeconds: 10 } });
      world.faults = failing(/^create pods\/eviction web-1/, { status: code, body }, 1);
      const start = world.timeline.now();
      await world.drain();
      const [, second, third, again] = evictionsIn(world).map(({ at }) => at - start);
      expect([second, third]).toEqual([0, 0]);
      expect(again).toBeGreaterThanOrEqual(seconds(10));
      expect(again).toBeLessThanOrEqual(seconds(12.5));
      expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    },
  );
});

describe("a request that the API server refuses", () => {
  /** A world with two pods, where the API server refuses every request of a kind like this. */
  function refusing(kind: RegExp, fault: KubeFault): VirtualWorld {
    const world = new VirtualWorld({ settings: { DRAIN_TIMEOUT_SECONDS: "120" } });
    deploy(world, { name: "web", on: { 1: 2 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: kind.test("delete pods") ? 0 : 2 });
    world.pass(seconds(10));
    world.faults = ({ what }) =>
      kind.test(what) ? { kind: "cluster-fault", fault, moment: "before" } : well;
    world.terminate(1);
    return world;
  }

  it.each([400, 422])(
    "with HTTP %d is a fault, is not tried again in the pass, and is forced at the end",
    async (code) => {
      const world = refusing(/^create pods\/eviction/, refusal(code, "what is that?"));
      await world.work(seconds(50));
      expect(evictionsIn(world)).toHaveLength(2);
      expect(world.told("fault")).toMatchObject([
        {
          code: "cluster.refused",
          message: `cluster.refused: evicting default/web-1: HTTP ${code} what is that?`,
        },
      ]);
      expect(world.told("pod-refused")).toMatchObject([{ pod: "default/web-2", why: "invalid" }]);
      await world.work();
      expect(namesOn(world, 1)).toEqual([]);
      expect(world.told("notice-done")).toMatchObject([{ outcome: { kind: "drained" } }]);
    },
  );

  it("because the function may not delete pods is a fault too, logged once in a pass", async () => {
    const message = 'pods "web-1" is forbidden: User "x" cannot delete resource "pods"';
    const world = refusing(/^delete pods/, refusal(403, message));
    await world.work();
    const faults = world.told("fault");
    expect(faults.length).toBeGreaterThanOrEqual(1);
    expect(faults.length).toBeLessThanOrEqual(world.told("pass-started").length);
    expect(faults[0]).toMatchObject({ code: "cluster.forbidden" });
    expect(faults[0]?.message).toContain(message);
    expect(world.told("pod-refused")[0]).toMatchObject({ pod: "default/web-2", why: "denied" });
    expect(world.told("notice-done")).toMatchObject([{ outcome: { kind: "expired" } }]);
  });
});

describe("a deletion past a budget that is refused", () => {
  const past = "budget default/web (maxUnavailable 0)";

  async function drained(fault: KubeFault): Promise<VirtualWorld> {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 1 } });
    world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
    world.faults = failing(/^delete pods/, fault);
    await world.drain();
    return world;
  }

  it("by a policy is told as a deletion, with the budget that made it necessary", async () => {
    const message = 'admission webhook "guardian" denied the request: not now';
    const world = await drained(refusal(403, message));
    expect(world.told("pod-refused")[0]).toMatchObject({
      pod: "default/web-1",
      verb: "delete",
      past,
      why: "denied",
      message,
    });
    const warned = world.told("warning").filter(({ about }) => about === "refused evictions");
    for (const { warnings } of warned)
      expect(warnings[0]).toMatch(/: its deletion is refused still/);
  });

  it.each<[KubeFault, string]>([
    [refusal(422, "what is that?"), "HTTP 422 what is that?"],
    [
      refusal(403, 'User "x" cannot delete resource "pods"'),
      'User "x" cannot delete resource "pods"',
    ],
  ])("for lack of a right or sense is a fault that says so: %j", async (fault, words) => {
    const world = await drained(fault);
    expect(world.told("fault")[0]?.message).toMatch(/^cluster\.\w+: deleting default\/web-1: /);
    expect(world.told("fault")[0]?.message).toContain(`${words} (it would go past ${past})`);
  });
});

describe("an eviction that a webhook refuses on every pass", () => {
  const message = 'admission webhook "guardian" denied the request: not now';

  it("is warned of in the second half of the drain, and not before", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 1 } });
    world.faults = failing(/^create pods\/eviction/, refusal(400, message));
    const start = world.timeline.now();
    await world.drain();
    const warned = world.told("warning").filter(({ about }) => about === "refused evictions");
    expect(warned[0]?.warnings).toEqual([
      `default/web-1: its eviction is refused still (denied): ${message}`,
    ]);
    expect(between(start, warned[0]?.at ?? start)).toBeGreaterThanOrEqual(minutes(7.5));
  });

  it("is not warned of where a pod of the node leaves in the same pass", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 1 } });
    world.faults = failing(/^create pods\/eviction/, refusal(400, message));
    for (const turn of Array(180).keys())
      world.in(seconds(5 * turn), () => {
        world.cluster.addPod({ name: `moved-${turn}`, node: nodeOf(1) });
        world.in(seconds(5), () => deletePod(world, `moved-${turn}`));
      });
    await world.drain();
    expect(world.told("warning").filter(({ about }) => about === "refused evictions")).toEqual([]);
  });
});

describe("an eviction that a webhook denies as if the function were nobody", () => {
  it("is refused like any other, and keeps no pod of others waiting", async () => {
    const world = new VirtualWorld();
    deploy(world, { name: "web", on: { 1: 1 } });
    deploy(world, { name: "shop", spec: critical, on: { 1: 1 } });
    const message = 'admission webhook "guardian" denied the request: not now';
    world.faults = failing(/^create pods\/eviction web/, refusal(401, message));
    await world.drain();
    expect(world.told("fault")).toEqual([]);
    expect(world.told("pod-refused")[0]).toMatchObject({ pod: "default/web-1", why: "denied" });
    expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
    expect(evictionsIn(world).map(({ what }) => what)).toContain("create pods/eviction shop-1 201");
  });
});

describe("an eviction that takes its time", () => {
  it.each([
    [34, []],
    [39, []],
    [41, ["unclear"]],
  ])("(%d s) may take 40 s: the API server works on one for 34 s", async (wait, whys) => {
    const world = answering({ slow: seconds(wait) });
    await world.drain();
    expect(world.told("pod-refused").map(({ why }) => why)).toEqual(whys);
    expect(namesOn(world, 1)).toEqual([]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  });

  it("is awaited by its pass even past the pass's end, and the pass evicts nothing more", async () => {
    const world = new VirtualWorld();
    const start = world.timeline.now();
    deploy(world, { name: "db", on: { 1: 1 } });
    world.cluster.addBudget({ name: "db", maxUnavailable: 0 });
    world.faults = failing(/^create pods\/eviction late$/, { slow: seconds(10) });
    world.in(seconds(45), () => world.cluster.addPod({ name: "late", node: nodeOf(1) }));
    world.in(seconds(52), () => world.cluster.addPod({ name: "later", node: nodeOf(1) }));
    await world.drain();
    const [ended] = world.told("pass-ended");
    expect(between(start, ended?.at ?? start)).toBe(seconds(55));
    expect(world.told("pod-evicted").map(({ pod }) => pod)).toEqual([
      "default/late",
      "default/later",
    ]);
    const last = world.requests.find(({ what }) => what === "create pods/eviction later");
    expect(between(start, last?.at ?? start)).toBeGreaterThan(seconds(55));
  });

  it.each([
    [2, 1],
    [5, 2],
  ])(
    "(%d s) of a pod whose grace is cut to the deadline takes %d requests: two seconds later than asked is in time",
    async (wait, requests) => {
      const world = new VirtualWorld({ settings: { DRAIN_TIMEOUT_SECONDS: "60" } });
      world.cluster.addPod({
        name: "slow",
        node: nodeOf(1),
        annotations: { "hollow/term-seconds": "never" },
        spec: { terminationGracePeriodSeconds: 600 },
      });
      world.faults = failing(
        /^(create pods\/eviction|delete pods) slow/,
        { slow: seconds(wait) },
        1,
      );
      await world.drain();
      const asked = world.requests.filter(({ what }) => /(eviction|delete pods) slow/.test(what));
      expect(asked).toHaveLength(requests);
    },
  );
});
