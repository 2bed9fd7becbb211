import { describe, expect, it } from "vitest";
import { kubeRequest } from "../../../sandbox/kubernetes/api/exchange.ts";
import { shuttingDown, throttled } from "../../../sandbox/kubernetes/api/planned-faults.ts";
import { VirtualCluster } from "./virtual-cluster.ts";

const served = () => {
  const world = new VirtualCluster().withNodes("node-1");
  world.cluster.addPod({ name: "web", node: "node-1" });
  return world;
};

const evictionOf = (name: string) =>
  kubeRequest("POST", `/api/v1/namespaces/default/pods/${name}/eviction`, {
    headers: { authorization: "Bearer admin" },
    body: { metadata: { name } },
  });

describe("a planned fault", () => {
  it("hits the next matching request once, and no other", async () => {
    const world = served();
    world.cluster.failNext({ subresource: "eviction", name: "web" }, throttled(7));

    expect((await world.ask("GET", "/api/v1/nodes")).status).toBe(200);
    const struck = await world.evict("web");
    expect(struck).toMatchObject({
      status: 429,
      text: "Too many requests, please try again later.\n",
      headers: { "retry-after": "7", "content-type": "text/plain; charset=utf-8" },
    });
    expect(world.pod("web")?.metadata.deletionTimestamp).toBeUndefined();

    expect((await world.evict("web")).status).toBe(201);
  });

  it("hits as often as it is told, in the order of the plans", async () => {
    const world = served();
    world.cluster.failNext({ verb: "list" }, { status: 503 }, { times: 2 });
    world.cluster.failNext({ plural: "nodes" }, shuttingDown);

    const codes: number[] = [];
    for (let at = 0; at < 4; at += 1) codes.push((await world.ask("GET", "/api/v1/nodes")).status);

    expect(codes).toEqual([503, 503, 429, 200]);
  });

  it("can break the connection after it is done", async () => {
    const world = served();
    world.cluster.failNext({ verb: "create" }, "reset", { when: "after" });

    await expect(world.cluster.handle(evictionOf("web"))).resolves.toEqual({ kind: "reset" });

    expect(world.pod("web")?.metadata.deletionTimestamp).toBeDefined();
    expect(world.cluster.audit).toMatchObject([{ responseStatus: { code: 201 } }]);
  });
});
