import { describe, expect, it } from "vitest";
import { between, later, minutes, seconds } from "../../lambda/base/time.ts";
import type { KubeFault } from "../../sandbox/kubernetes/api/planned-faults.ts";
import { endingsIn, writesIn, writtenIn } from "../world/evidence.ts";
import { type FaultPlan, failing, well } from "../world/fault-plan.ts";
import { refusal } from "../world/refusal.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy } from "../world/workloads.ts";
import { nodeOf } from "../world/world-options.ts";

const isEviction = /^create pods\/eviction (\S+) 201$/;

/** The API server does not list the budgets of the first namespace that a drain asks for. */
function withoutTheirs(fault: KubeFault): FaultPlan {
  let watches = 0;
  return ({ what }) => {
    if (what === "watch poddisruptionbudgets") watches += 1;
    const isTheirs = what === "list poddisruptionbudgets" || watches === 1;
    return what.endsWith("poddisruptionbudgets") && isTheirs
      ? { kind: "cluster-fault", fault, moment: "before" }
      : well;
  };
}

/** A node with a pod of a tenant, whose budgets the API server does not list, and two of others. */
function shared(fault: KubeFault) {
  const world = new VirtualWorld({ nodes: 3 });
  deploy(world, { name: "theirs", namespace: "a-tenant", on: { 1: 1 } });
  deploy(world, { name: "web", on: { 1: 2 } });
  world.cluster.addBudget({ name: "web", maxUnavailable: 1 });
  world.faults = withoutTheirs(fault);
  return world;
}

/** When each pod was let go, in seconds since the drain began to write. */
function letGo(world: VirtualWorld): ReadonlyMap<string, number> {
  const writes = writesIn(world);
  const [first] = writes;
  return new Map(
    writes.flatMap(({ what, at }) => {
      const name = isEviction.exec(what)?.[1];
      return name === undefined ? [] : [[name, between(first?.at ?? at, at) / 1000]];
    }),
  );
}

const notKnown = (world: VirtualWorld) =>
  world.told("warning").filter(({ about }) => about === "budgets of a-tenant");

describe.each<[string, KubeFault]>([
  ["without an answer", "hang"],
  ["with a refusal", refusal(500, "the list is too long")],
])("budgets of a namespace that the API server lists %s", (_, fault) => {
  it("keep no pod of others on the node, and their own for two seconds", async () => {
    const world = shared(fault);
    await world.drain();
    const times = letGo(world);
    expect([...times.keys()].toSorted()).toEqual(["theirs-1", "web-1", "web-2"]);
    expect(times.get("web-1")).toBeLessThanOrEqual(3);
    expect(times.get("theirs-1")).toBeLessThanOrEqual(3);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(writtenIn(world).filter((what) => what.endsWith(" 429"))).toEqual([]);
  });

  it("are told once", async () => {
    const world = shared(fault);
    await world.drain();
    expect(notKnown(world)).toHaveLength(1);
  });

  it("hold their pods by the API server's refusals, and no others, until the drain has to force them", async () => {
    const world = shared(fault);
    world.cluster.addBudget({ name: "theirs", namespace: "a-tenant", maxUnavailable: 0 });
    world.faults = failing(/ poddisruptionbudgets$/, fault);
    const began = world.timeline.now();
    await world.drain();
    expect(letGo(world).has("theirs-1")).toBe(false);
    expect(letGo(world).get("web-2")).toBeLessThanOrEqual(60);
    const [deleted] = writesIn(world).filter(({ what }) => what === "delete pods theirs-1 200");
    expect(deleted?.at).toBeGreaterThan(later(began, minutes(5)));
    expect(world.told("notice-done")).toMatchObject([
      {
        outcome: {
          kind: "forced",
          forced: [expect.stringContaining("budgets that are not known")],
        },
      },
    ]);
  });
});

it("a namespace whose budgets are not known has two evictions under way, so that the others have room", async () => {
  const world = shared("hang");
  for (let more = 1; more <= 30; more += 1)
    world.cluster.addPod({ name: `more-${more}`, namespace: "a-tenant", node: nodeOf(1) });
  const faults = world.faults;
  world.faults = (request) =>
    /^create pods\/eviction (more|theirs)/.test(request.what)
      ? { kind: "cluster-fault", fault: "hang", moment: "before" }
      : faults(request);
  await world.drain(seconds(35));
  expect([...letGo(world).keys()].toSorted()).toEqual(["web-1", "web-2"]);
  const asked = world.requests.filter(({ what }) =>
    /^create pods\/eviction (more|theirs)/.test(what),
  );
  expect(asked).toHaveLength(2);
});
