import { describe, expect, it } from "vitest";
import { between, instant, later, minutes, seconds } from "../../lambda/base/time.ts";
import { completionsIn, endingsIn, evictedIn, writesIn } from "../world/evidence.ts";
import { type FunctionRequest, type Moment, well } from "../world/fault-plan.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { critical, deploy, namesOn, runWithVolume } from "../world/workloads.ts";
import { nodeOf } from "../world/world-options.ts";

const start = Date.parse("2026-11-20T10:00:00Z");

function aWorld(): VirtualWorld {
  const world = new VirtualWorld({ nodes: 3, settings: { DRAIN_TIMEOUT_SECONDS: "240" } });
  world.cluster.addDaemonSet({ name: "agent", pods: [{ name: "agent-1", node: nodeOf(1) }] });
  deploy(world, { name: "web", on: { 1: 2, 2: 1 } });
  deploy(world, { name: "coredns", spec: critical, on: { 1: 1, 2: 1 } });
  runWithVolume(world, { name: "data", node: 1, detaching: seconds(7) });
  return world;
}

/** Two of its pods have a budget that is never met: only the deadline gets them off the node. */
function aBlockedWorld(): VirtualWorld {
  const world = aWorld();
  world.cluster.addBudget({ name: "web", maxUnavailable: 0 });
  return world;
}

async function drain(world: VirtualWorld): Promise<VirtualWorld> {
  await world.drain();
  return world;
}

/** Drains, but the function's process dies at one of its requests. */
function drainWithDeath(world: VirtualWorld, { number, moment }: Death): Promise<VirtualWorld> {
  world.faults = (request) => (request.number === number ? { kind: "death", moment } : well);
  return drain(world);
}

interface Death extends FunctionRequest {
  readonly moment: Moment;
}

/** Every request, and the moment between effect and answer for those that change something. */
const deathsAt = (requests: readonly FunctionRequest[]): readonly Death[] =>
  requests.flatMap((request) =>
    momentsOf(request).map((moment) => ({ ...request, what: `${moment} ${request.what}`, moment })),
  );

const momentsOf = ({ what }: FunctionRequest): readonly Moment[] =>
  /^(get|list|watch)|Describe/.test(what) ? ["before"] : ["before", "after"];

/** What must hold however a drain was interrupted. */
function expectDrained(world: VirtualWorld, death: string): void {
  expect(endingsIn(world), death).toEqual(["CONTINUE by call"]);
  expect(completionsIn(world), death).toBe(1);
  expect(new Set(evictedIn(world)).size, death).toBe(evictedIn(world).length);
  expect(world.aws.sqs.findQueue("notices").contents(), death).toEqual([]);
  expect(world.aws.sqs.findQueue("dead-letters").contents(), death).toEqual([]);
}

describe("a function that dies at any of its requests", () => {
  it("leaves a drain that keeps its order and completes its hook once", async () => {
    const undisturbed = await drain(aWorld());
    expectDrained(undisturbed, "none");
    for (const death of deathsAt(undisturbed.requests)) {
      const world = await drainWithDeath(aWorld(), death);
      expectDrained(world, death.what);
      expect(namesOn(world, 1), death.what).toEqual(["agent-1"]);
      const asked = writesIn(world).find(({ what }) => /eviction coredns-1/.test(what));
      const gone = world.departures.filter(({ name }) => /^(data|web-[12])$/.test(name));
      expect(gone, death.what).toHaveLength(3);
      for (const { at } of gone) expect(asked?.at, death.what).toBeGreaterThanOrEqual(at);
    }
  });

  it("moves no deadline", async () => {
    const undisturbed = await drain(aBlockedWorld());
    const threshold = instant(start + minutes(4) - seconds(30));
    expect(between(threshold, forcedIn(undisturbed))).toBe(1);
    for (const death of deathsAt(undisturbed.requests)) {
      const world = await drainWithDeath(aBlockedWorld(), death);
      expectDrained(world, death.what);
      const { visibility } = world.deployment.queue("notices").settings;
      const back = between(threshold, later(death.at, visibility));
      const [done] = world.told("notice-done");
      if (back < seconds(30)) {
        const late = between(threshold, forcedIn(world));
        expect(late, death.what).toBeGreaterThanOrEqual(1);
        expect(late, death.what).toBeLessThanOrEqual(Math.max(1, back));
      } else {
        // The pass that comes after the deadline makes its requests at once, and waits for what leaves.
        const lastTry = minutes(1) + seconds(10);
        expect(done?.at, death.what).toBeLessThanOrEqual(threshold + back + lastTry);
      }
      expect(namesOn(world, 1), death.what).toEqual(["agent-1"]);
    }
  });
});

/** When the first pod was deleted by force. */
const forcedIn = (world: VirtualWorld) =>
  writesIn(world).find(({ what }) => what.startsWith("delete pods"))?.at ?? instant(0);
