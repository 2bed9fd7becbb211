import { describe, expect, it } from "vitest";
import { seconds } from "../../lambda/base/time.ts";
import { endingsIn, evictedIn, outcomesIn, writesIn } from "../world/evidence.ts";
import { well } from "../world/fault-plan.ts";
import { VirtualWorld } from "../world/virtual-world.ts";
import { deploy, namesOn } from "../world/workloads.ts";
import { nodeOf } from "../world/world-options.ts";

const count = 40;
const tenant = "a-tenant";

/** A node with pods of others, and so many of a tenant that they are not followed. */
function shared() {
  const world = new VirtualWorld({ nodes: 3 });
  deploy(world, { name: "web", on: { 1: 3 } });
  const annotations = { "example.com/padding": "x".repeat(250_000) };
  for (let number = 1; number <= count; number += 1)
    world.cluster.addPod({
      name: `huge-${number}`,
      namespace: tenant,
      node: nodeOf(1),
      annotations,
    });
  return world;
}

const evictions = (world: VirtualWorld) =>
  writesIn(world).flatMap(({ what }) => /^create pods\/eviction (\S+) 201$/.exec(what)?.[1] ?? []);

describe("a namespace whose pods on the node are too large to be followed", () => {
  it("is drained all the same, after the pods of others, and each pod once", async () => {
    const world = shared();
    await world.drain();
    const names = evictions(world);
    expect(names.slice(0, 3).toSorted()).toEqual(["web-1", "web-2", "web-3"]);
    expect(names).toHaveLength(count + 3);
    expect(new Set(evictedIn(world)).size).toBe(count + 3);
    expect(namesOn(world, 1)).toEqual([]);
    expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
    expect(outcomesIn(world)).toMatchObject([{ kind: "drained" }]);
    const about = `budgets of ${tenant}`;
    expect(world.told("warning").filter((warning) => warning.about === about)).toHaveLength(1);
  });

  it("keeps no pod of others where it cannot be listed at all, and the node until the drain's deadline", async () => {
    const world = shared();
    let isFollowed = false;
    world.faults = ({ what }) => {
      if (what === "watch pods") isFollowed = true;
      const isTheirs = what === "list pods" && isFollowed;
      return isTheirs ? { kind: "cluster-fault", fault: "hang", moment: "before" } : well;
    };
    await world.drain(seconds(40));
    expect(evictions(world).toSorted()).toEqual(["web-1", "web-2", "web-3"]);
    expect(endingsIn(world)).toEqual(["open"]);
  });

  it("that grows while the drain follows it is drained too", async () => {
    const world = new VirtualWorld({ nodes: 3 });
    deploy(world, { name: "web", on: { 1: 1 } });
    deploy(world, { name: "slow", on: { 1: 1 } });
    world.cluster.addBudget({ name: "slow", maxUnavailable: 0 });
    const annotations = { "example.com/padding": "x".repeat(250_000) };
    world.in(seconds(20), () => {
      for (let number = 1; number <= count; number += 1)
        world.cluster.addPod({
          name: `huge-${number}`,
          namespace: tenant,
          node: nodeOf(1),
          annotations,
        });
    });
    await world.drain(seconds(80));
    expect(evictions(world)).toContain("huge-40");
    expect(new Set(evictions(world)).size).toBe(count + 1);
  });
});

it("a namespace whose pods name very many DaemonSets has fifty of them looked for, and keeps no pod of others", async () => {
  const world = new VirtualWorld({ nodes: 3 });
  deploy(world, { name: "web", on: { 1: 3 } });
  for (let number = 1; number <= 60; number += 1)
    world.cluster.addPod({
      name: `theirs-${number}`,
      namespace: tenant,
      node: nodeOf(1),
      ownerReferences: [
        {
          kind: "DaemonSet",
          apiVersion: "apps/v1",
          name: `ds-${number}`,
          uid: `${number}`,
          controller: true,
        },
      ],
    });
  await world.drain();
  expect(world.requests.filter(({ what }) => what.startsWith("get daemonsets"))).toHaveLength(50);
  expect(evictions(world)).toHaveLength(53);
  expect(endingsIn(world)).toEqual(["CONTINUE by call"]);
  expect(world.told("warning").filter(({ about }) => about === tenant)).toHaveLength(1);
});
