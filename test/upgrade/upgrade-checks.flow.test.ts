import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, it } from "vitest";
import { minutes } from "../../lambda/base/time.ts";
import type { Entry } from "../../lambda/registrations/entry.ts";
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
