import { describe, expect, it } from "vitest";
import { type Duration, seconds } from "../../lambda/base/time.ts";
import { type KubeFault, throttled } from "../../sandbox/kubernetes/api/planned-faults.ts";
import {
  completionsIn,
  endingsIn,
  evictedIn,
  outcomesIn,
  took,
  writesIn,
} from "../world/evidence.ts";
import { failing, type Moment, well } from "../world/fault-plan.ts";
import { refusal } from "../world/refusal.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { critical, deploy, namesOn, runWithVolume } from "../world/workloads.ts";
import { nodeOf } from "../world/world-options.ts";

function aWorld(): VirtualWorld {
  const world = new VirtualWorld({ nodes: 3 });
  world.cluster.addDaemonSet({ name: "agent", pods: [{ name: "agent-1", node: nodeOf(1) }] });
  deploy(world, { name: "web", on: { 1: 2, 2: 1 } });
  deploy(world, { name: "coredns", spec: critical, on: { 1: 1, 2: 1 } });
  world.cluster.addBudget({ name: "web", maxUnavailable: 1 });
  runWithVolume(world, { name: "data", node: 1, detaching: seconds(7) });
  world.pass(seconds(10));
  return world;
}

async function drain(world: VirtualWorld): Promise<VirtualWorld> {
  await world.drain();
  return world;
}

interface Trouble {
  readonly name: string;
  readonly fault: KubeFault;
  readonly moment?: Moment;
  /** The requests that can fail in this way. */
  readonly at?: RegExp;
  /** How much longer the drain takes at most. */
  readonly costs: Duration;
}

// A pass that cannot go on returns its notice to the queue for five seconds.
const aRest = seconds(5);
const anyWrite = /^(patch|create|delete)/;
const endOfWatch = `${JSON.stringify({
  type: "ERROR",
  object: { kind: "Status", code: 410, reason: "Expired", message: "too old resource version" },
})}\n`;

const troubles: readonly Trouble[] = [
  { name: "a lost connection", fault: "reset", costs: aRest },
  { name: "an answer that is lost", fault: "reset", moment: "after", costs: aRest },
  { name: "silence", fault: "hang", costs: seconds(50) },
  { name: "an internal error", fault: refusal(500, "InternalError"), costs: aRest },
  {
    name: "an internal error after the effect",
    fault: refusal(500, "InternalError"),
    moment: "after",
    at: anyWrite,
    costs: aRest,
  },
  {
    name: "a timeout",
    fault: refusal(504, "Timeout"),
    moment: "after",
    at: anyWrite,
    costs: aRest,
  },
  {
    name: "an overloaded server",
    fault: { status: 503, headers: { "retry-after": "1" } },
    costs: seconds(2),
  },
  { name: "throttling", fault: throttled(3), costs: seconds(4) },
  { name: "a refused token", fault: refusal(401, "Unauthorized"), costs: seconds(0) },
  { name: "a conflict", fault: refusal(409, "Conflict"), at: anyWrite, costs: seconds(2) },
  {
    name: "a list that is too old",
    fault: refusal(410, "Expired"),
    at: /^list/,
    costs: seconds(0),
  },
  {
    name: "a watch from too long ago",
    fault: refusal(410, "Expired"),
    at: /^watch/,
    costs: seconds(1),
  },
  {
    name: "a watch that ends at once",
    fault: { status: 200, body: "" },
    at: /^watch/,
    costs: seconds(1),
  },
  {
    name: "a watch that tells it is too old",
    fault: { status: 200, body: endOfWatch },
    at: /^watch/,
    costs: seconds(1),
  },
];

describe.each(troubles)("an API server that answers once with $name", (trouble) => {
  const { fault, moment = "before", at = /./, costs } = trouble;

  it("at any request does not stop a drain from ending", async () => {
    const undisturbed = await drain(aWorld());
    const concerned = undisturbed.requests.filter(
      ({ to, what }) => to === "cluster" && at.test(what),
    );
    expect(concerned).not.toEqual([]);
    for (const { number, what } of concerned) {
      const world = aWorld();
      world.faults = (request) =>
        request.number === number ? { kind: "cluster-fault", fault, moment } : well;
      await drain(world);
      expectDrained(world, what);
      expect(took(world) - took(undisturbed), what).toBeLessThanOrEqual(costs);
    }
  });
});

function expectDrained(world: VirtualWorld, what: string): void {
  expect(outcomesIn(world), what).toEqual([{ kind: "drained", attached: [], stuck: [] }]);
  expect(endingsIn(world), what).toEqual(["CONTINUE by call"]);
  expect(completionsIn(world), what).toBe(1);
  expect(namesOn(world, 1), what).toEqual(["agent-1"]);
  expect(new Set(evictedIn(world)).size, what).toBe(evictedIn(world).length);
  expect(evictedIn(world), what).toHaveLength(4);
}

describe("an API server that", () => {
  it("throttles gets a pause for all pods at once, and the drain blames no budget", async () => {
    const world = new VirtualWorld({ settings: { DRAIN_CONCURRENCY: "4" } });
    deploy(world, { name: "web", on: { 1: 10 } });
    let throttles = 0;
    world.faults = ({ what }) => {
      if (!/eviction/.test(what) || throttles >= 2) return well;
      throttles += 1;
      return { kind: "cluster-fault", fault: throttled(20), moment: "before" };
    };
    await world.drain();
    const [first, ...later] = writesIn(world).filter(({ what }) => /eviction/.test(what));
    const waits = later.map(({ at }) => at - (first?.at ?? at)).filter((wait) => wait > 0);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(seconds(20));
    expect(Math.min(...waits)).toBeLessThanOrEqual(seconds(25));
    expect(world.told("pod-refused").map(({ why }) => why)).toEqual(["throttled", "throttled"]);
    expect(world.told("notice-done").map(({ outcome }) => outcome.kind)).toEqual(["drained"]);
  });

  it("forbids evictions leads to a fault until it allows them, and loses no notice", async () => {
    const world = aWorld();
    const message = 'cannot create resource "pods/eviction" in API group ""';
    const fault = refusal(403, message);
    let allowed = false;
    world.faults = ({ what }) =>
      /eviction/.test(what) && !allowed ? { kind: "cluster-fault", fault, moment: "before" } : well;
    world.in(seconds(100), () => {
      allowed = true;
    });
    await drain(world);
    expectDrained(world, "after all");
    const codes = world.told("fault").map(({ code }) => code);
    // Once in each pass.
    expect(codes.length).toBeGreaterThanOrEqual(2);
    expect(new Set(codes)).toEqual(new Set(["cluster.forbidden"]));
  });

  it("cuts every watch short makes the drain list now and then, which takes little longer", async () => {
    const world = aWorld();
    world.faults = failing(/^watch pods$/, { status: 200, body: endOfWatch });
    await drain(world);
    expectDrained(world, "without a watch");
    expect(took(world)).toBeLessThanOrEqual(seconds(60));
  });

  it("refuses a token gets a new one", async () => {
    const world = aWorld();
    const fault = refusal(401, "Unauthorized");
    let refusals = 0;
    world.faults = ({ what }) => {
      if (refusals > 0 || !/eviction coredns-1/.test(what)) return well;
      refusals += 1;
      return { kind: "cluster-fault", fault, moment: "before" };
    };
    await drain(world);
    expectDrained(world, "with two tokens");
    expect(world.tokens.size).toBe(2);
    expect(world.told("fault")).toEqual([]);
  });
});
