import { createServer } from "node:http";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { functionFolder, nodeFunction } from "../../cli/replay/deploy-demo.ts";
import { type Duration, milliseconds, seconds } from "../../lambda/base/time.ts";
import type { Pool } from "../../sandbox/aws/pool.ts";
import { excludeLabelledNodes } from "../../sandbox/cloud-controller.ts";
import { nodes } from "../../sandbox/kubernetes/core-resources.ts";
import { bundleIn } from "../../sandbox/lambda/lambda-service.ts";
import { deployQueueFunction } from "../../sandbox/queue-function.ts";
import { type Sandbox, startSandbox } from "../../sandbox/sandbox.ts";
import type { World } from "../../sandbox/scenario.ts";
import { demoNg, demoNode } from "../../sandbox/scenarios/demo-ng.ts";
import { startBalancerServer } from "../../sandbox/servers/balancer-server.ts";
import { listening } from "../../sandbox/servers/listening.ts";
import { messagesOf } from "../cli/replay/replayed.ts";
import { serves } from "../world/requests-through.ts";

const app = "nginx-demo";

/** The demo behind a load balancer: every node with a pod of the app is a target. */
async function aSandbox(settings: Readonly<Record<string, string>>, exclusion: Duration) {
  const code = bundleIn(await functionFolder());
  const node = { ...nodeFunction(demoNode, { DRAIN_SETTLE_SECONDS: "1", ...settings }), code };
  const demo = demoNg();
  const pools: Pool[] = [];
  const populate = (world: World) => {
    demo.populate(world);
    pools.push(behindBalancer(world, exclusion));
  };
  const deployInto = (world: Parameters<typeof deployQueueFunction>[1]) =>
    deployQueueFunction(node, world);
  const sandbox = await startSandbox({ ...demo, populate }, deployInto);
  onTestFinished(() => sandbox.close());
  const [pool] = pools;
  if (pool === undefined) throw new Error("the sandbox has no load balancer");
  return { sandbox, pool };
}

function behindBalancer(world: World, exclusion: Duration): Pool {
  const pool = world.aws.elb.create({ name: "web", delay: seconds(2) });
  for (const { spec } of world.cluster.store.list(nodes)) {
    const instance = spec.providerID?.split("/").at(-1) ?? "";
    if (serves(world, instance, app)) pool.register(instance, 30080, "healthy");
  }
  excludeLabelledNodes(world, exclusion);
  return pool;
}

/** The port of a node: a request takes half a second, and fails if the instance ends meanwhile. */
async function nodePort(sandbox: Sandbox, instance: string): Promise<string> {
  const runs = () => sandbox.aws.ec2.tryFind(instance)?.state === "running";
  const server = createServer(async (_request, response) => {
    if (!(runs() && serves(sandbox, instance, app))) return response.destroy();
    await setTimeout(500);
    return runs() ? response.end("ok") : response.destroy();
  });
  onTestFinished(() => void server.close());
  return `http://${await listening(server)}`;
}

/** Replays the termination while requests come, and counts them. */
async function drained(
  settings: Readonly<Record<string, string>> = {},
  exclusion = milliseconds(700),
) {
  const { sandbox, pool } = await aSandbox(settings, exclusion);
  const targets = pool.targets().map(({ instance }) => instance);
  const ports = new Map<string, string>();
  for (const instance of targets) ports.set(instance, await nodePort(sandbox, instance));
  const balancer = await startBalancerServer(pool, (instance) => ports.get(instance) ?? "");
  onTestFinished(() => balancer.close());
  const answers: Promise<number>[] = [];
  const sending = setInterval(() => {
    answers.push(fetch(balancer.url).then(({ status }) => status));
  }, 20);
  const [notice] = messagesOf("demo-ng-terminate");
  if (notice === undefined) throw new Error("the event has no message");
  sandbox.publish(demoNode.names.topic, notice);
  const outcomes = () =>
    sandbox.happenings().flatMap((one) => (one.kind === "notice-done" ? [one.outcome] : []));
  await expect.poll(() => sandbox.aws.autoScaling.actions()[0]?.end.kind).toBe("ended");
  await expect.poll(outcomes).not.toEqual([]);
  await setTimeout(500);
  clearInterval(sending);
  const statuses = await Promise.all(answers);
  return { targets, outcomes: outcomes(), failed: statuses.filter((status) => status !== 200) };
}

describe("requests over HTTP while a node drains", () => {
  it("all succeed, for the drain waits for the load balancer", async () => {
    const { targets, outcomes, failed } = await drained();
    expect(targets.length).toBeGreaterThan(1);
    expect(outcomes).toEqual([{ kind: "drained", attached: [], stuck: [] }]);
    expect(failed).toEqual([]);
  });

  it("fail without the wait", async () => {
    // A slow machine, too, evicts the first pod before the balancer knows of the mark.
    const settings = { DRAIN_TARGET_TIMEOUT_SECONDS: "0" };
    const { outcomes, failed } = await drained(settings, seconds(10));
    expect(outcomes).toEqual([{ kind: "drained", attached: [], stuck: [] }]);
    expect(failed.length).toBeGreaterThan(0);
  });
});
