import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import type { Entry } from "../../journal/entry.ts";
import {
  between,
  type Duration,
  later,
  minutes,
  seconds,
  timestamp,
} from "../../lambda/base/time.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import type { Node } from "../../sandbox/kubernetes/node.ts";
import { UpgradeWorld } from "../world/upgrade-world.ts";
import { deploy } from "../world/workloads.ts";

const port = (server: ReturnType<typeof createServer>) => (server.address() as AddressInfo).port;

/** The deeds of an upgrade, and why it waited, in their order. */
const storyOf = (entry: Entry): readonly string[] =>
  entry.kind === "upgrade-nodes" ? [entry.deed] : [];

describe("a new node whose own check is a request", () => {
  /** Upgrades two nodes whose new ones answer the request with this status, from the time on when the world says so. */
  async function checked(statusOf: (asked: number) => number) {
    const paths: string[] = [];
    const server = createServer(({ url = "" }, answer) => {
      paths.push(url);
      answer.writeHead(statusOf(paths.length)).end();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const world = new UpgradeWorld({
      size: 2,
      joining: { node: () => ({ address: "127.0.0.1" }) },
    });
    const check = { kind: "http", port: port(server), path: "/healthz" } as const;
    try {
      await world.upgraded({ check, lookEvery: minutes(1) });
    } finally {
      server.close();
    }
    return { world, paths };
  }

  it("counts only when it answers 200 at its internal address", async () => {
    const { world, paths } = await checked((asked) => (asked <= 8 ? 503 : 200));
    expect(world.ended).toBe("done");
    expect(new Set(paths)).toEqual(new Set(["/healthz"]));
    expect(paths.length).toBeGreaterThan(8);
    expect(world.versions).toEqual(["2"]);
  });

  it("fails the upgrade when it never does, before any old node is drained", async () => {
    const { world } = await checked(() => 503);
    expect(world.ended).toMatch(/^failed: NodeCreationFailure/);
    const [failing] = world.told("upgrade-failing");
    expect(failing?.message).toContain("does not answer its own check with 200");
    expect(world.entries.flatMap(storyOf)).not.toContain("cordoned");
    expect(world.versions).toEqual(["1"]);
  });
});

/** The kubelets of new nodes date their being ready by clocks that are ahead. */
function aheadBy(world: UpgradeWorld, ahead: Duration): void {
  const dated = new Set<string>();
  world.cluster.store.subscribe(({ resource, after }) => {
    if (resource !== nodes || after === undefined || world.timeline.now() === begun) return;
    const { metadata, status } = after as Node;
    const isReady = status.conditions?.some(
      ({ type, status: its }) => type === "Ready" && its === "True",
    );
    if (!isReady || dated.has(metadata.name)) return;
    dated.add(metadata.name);
    const lastTransitionTime = timestamp(later(world.timeline.now(), ahead));
    world.in(seconds(0), () =>
      world.cluster.store.update({ resource: nodes, name: metadata.name }, (node) => {
        const conditions = (node.status.conditions ?? []).map((one) => ({
          ...one,
          lastTransitionTime,
        }));
        return { ...node, status: { ...node.status, conditions } };
      }),
    );
  });
  const begun = world.timeline.now();
}

it.each([minutes(3), minutes(60), minutes(60 * 24 * 365)])(
  "a new node counts within seconds of its being ready, though the clock of its kubelet is ahead (%d ms)",
  async (ahead) => {
    const usual = await new UpgradeWorld({ size: 2 }).upgraded();
    const world = new UpgradeWorld({ size: 2 });
    aheadBy(world, ahead);
    await world.upgraded();
    expect(world.ended).toBe("done");
    const begun = world.entries[0]?.at ?? world.timeline.now();
    const took = between(begun, world.timeline.now());
    const usually = between(usual.entries[0]?.at ?? begun, usual.timeline.now());
    expect(took).toBeLessThan(usually + minutes(1));
  },
);

describe("the pods of DaemonSets on a new node", () => {
  const lookEvery = minutes(2);

  function aWorldWith(annotations: Readonly<Record<string, string>>): UpgradeWorld {
    const world = new UpgradeWorld({ size: 2 });
    deploy(world, { name: "web", on: { 1: 1, 2: 1 } });
    world.cluster.addDaemonSet({ name: "agent", namespace: "kube-system", annotations });
    world.pass(minutes(20));
    return world;
  }

  it("have to be ready before the node counts", async () => {
    const world = await aWorldWith({ "hollow/ready-after": "600" }).upgraded({ lookEvery });
    expect(world.ended).toBe("done");
    const up = world.told("upgrade-sized").at(0)?.at ?? 0;
    const admitted = world.told("upgrade-nodes").find(({ deed }) => deed === "validated");
    expect(admitted?.at).toBeGreaterThanOrEqual(up + minutes(10));
  });

  it("fail the upgrade when they never are, and are counted", async () => {
    const world = await aWorldWith({ "hollow/ready": "false" }).upgraded({ lookEvery });
    expect(world.ended).toMatch(/^failed: NodeCreationFailure/);
    const [failing] = world.told("upgrade-failing");
    expect(failing?.message).toContain("has 0 of 1 pods of DaemonSets ready");
    expect(world.versions).toEqual(["1"]);
  });
});

const lengthOf = ({ entries, timeline }: UpgradeWorld): Duration =>
  between(entries[0]?.at ?? timeline.now(), timeline.now());

/** A world whose tenant `shop` has a DaemonSet that is not ready on new nodes, or on none. */
function beside(change: Partial<ConstructorParameters<typeof UpgradeWorld>[0]> = {}): UpgradeWorld {
  const world = new UpgradeWorld({ size: 3, ...change });
  deploy(world, { name: "web", on: { 1: 1, 2: 1 } });
  const annotations = { "hollow/ready": "false" };
  world.cluster.addDaemonSet({ name: "agent", namespace: "shop", annotations });
  world.pass(minutes(20));
  return world;
}

describe("a DaemonSet of a tenant that never becomes ready", () => {
  it("holds an upgrade for ten minutes once, and no further node after that", async () => {
    const world = await beside().upgraded();
    expect(world.ended).toBe("done");
    expect(world.versions).toEqual(["2"]);
    const usual = await new UpgradeWorld({ size: 3 }).upgraded();
    expect(lengthOf(world)).toBeLessThan(lengthOf(usual) + minutes(12));
  });

  it("is named in the log for each node that counts without it", async () => {
    const world = await beside().upgraded();
    const said = world.told("warning").flatMap(({ warnings }) => warnings);
    expect(
      said.filter((one) => /^counts without .*: shop\/agent-/.test(one)).length,
    ).toBeGreaterThan(2);
  });

  it("holds no canary for longer either", async () => {
    const world = await beside().upgraded({ canary: "first" });
    expect(world.ended).toBe("done");
  });

  it("fails the upgrade where the options name its namespace, or all", async () => {
    for (const daemonSets of [["kube-system", "shop"], "all"] as const) {
      const world = await beside().upgraded({ daemonSets, lookEvery: minutes(2) });
      expect(world.ended).toMatch(/^failed: NodeCreationFailure/);
      const [failing] = world.told("upgrade-failing");
      expect(failing?.message).toMatch(
        /0 of 1 pods of DaemonSets ready, and waits for shop\/agent-/,
      );
      expect(world.versions).toEqual(["1"]);
    }
  });

  it("fails no upgrade whose nodes become ready late", async () => {
    const world = await beside({ joining: { boot: minutes(24) } }).upgraded();
    expect(world.ended).toBe("done");
  });
});

describe("pods of one namespace that wait for a node", () => {
  const nowhere = { nodeSelector: { no: "where" } };

  /** An upgrade during whose first drain more pods of namespace `shop` wait than may, while so many of it run. */
  async function crowded({ running }: { readonly running: number }): Promise<UpgradeWorld> {
    const world = new UpgradeWorld({ size: 3 });
    deploy(world, { name: "web", on: { 1: 1, 2: 1, 3: 1 } });
    world.cluster.addNode({ name: "other", maxPods: 600 });
    world.start();
    world.in(minutes(3), () => {
      for (let at = 0; at < 1001; at += 1)
        world.cluster.addPod({ name: `waits-${at}`, namespace: "shop", spec: nowhere });
      for (let at = 0; at < running; at += 1)
        world.cluster.addPod({ name: `runs-${at}`, namespace: "shop", node: "other" });
    });
    await world.workFor(minutes(40));
    return world;
  }

  it("hold no upgrade where few of its pods run, and are told", async () => {
    const world = await crowded({ running: 9 });
    expect(world.ended).toBe("done");
    const said = world.told("warning").filter(({ about }) => about === "pods that wait for a node");
    expect(said.at(0)?.warnings).toEqual([
      "1001 of namespace shop count as 250, because few of its pods run",
    ]);
  });

  it("hold it where they may be those that it has evicted, and are named", async () => {
    const world = await crowded({ running: 251 });
    expect(world.ended).toBe("not yet");
    expect(world.told("upgrade-held").at(-1)?.reason).toBe(
      "1001 pods more than at the begin wait for a node, more than 1000: 1001 of namespace shop",
    );
  });
});
