import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { pods } from "../../../sandbox/kubernetes/core-resources.ts";
import { aCluster, deploy, first, nodeNow, until, writesIn } from "./a-cluster.ts";

describe("drain in a process of its own", () => {
  it("waits at the first Ctrl-C for the answer of a request under way, and ends at the second", async () => {
    const world = await aCluster();
    deploy(world, { name: "web", on: [first], annotations: { "hollow/term-seconds": "60" } });
    const eviction = { verb: "create", plural: "pods", subresource: "eviction" };
    world.cluster.failNext(eviction, "hang", { when: "after" });
    const args = ["drain", first, "--no-aws", "--kubeconfig", world.kubeconfig];
    const child = spawn(process.execPath, ["bin/eks-node-lifecycle.js", ...args]);
    let out = "";
    child.stdout.on("data", (chunk) => {
      out += chunk;
    });
    const ended = once(child, "exit");
    const web = { resource: pods, namespace: "default", name: "web-1" };
    await until(() => world.cluster.store.get(web).metadata.deletionTimestamp !== undefined);

    child.kill("SIGINT");
    await until(() => out.includes("requests under way are waited for"));
    expect(child.exitCode).toBeNull();
    child.kill("SIGINT");

    expect(await ended).toEqual([null, "SIGINT"]);
    expect(nodeNow(world, first).spec.unschedulable).toBe(true);
    expect(writesIn(world)).toEqual([`patch nodes ${first} 200`, "create pods/eviction web-1 201"]);
  });
});
