import { createServer } from "node:http";
import { setTimeout } from "node:timers/promises";
import { describe, it, type TestContext } from "vitest";
import { deployUpgradeDemo } from "../../cli/upgrade/replay-upgrade.ts";
import { milliseconds, seconds } from "../../lambda/base/time.ts";
import { exclusionLabel } from "../../lambda/drain/marking.ts";
import type { Pool } from "../../sandbox/aws/pool.ts";
import { excludeLabelledNodes, instanceIn, isExcludedBy } from "../../sandbox/cloud-controller.ts";
import { nodes, pods } from "../../sandbox/kubernetes/core-resources.ts";
import type { Node } from "../../sandbox/kubernetes/node.ts";
import { type Sandbox, startSandbox } from "../../sandbox/sandbox.ts";
import type { World } from "../../sandbox/scenario.ts";
import { nodeOf } from "../../sandbox/scenarios/demo-ng-group.ts";
import {
  demoNgUpgrade,
  demoUpgrade,
  oldInstances,
} from "../../sandbox/scenarios/demo-ng-upgrade.ts";
import { startBalancerServer } from "../../sandbox/servers/balancer-server.ts";
import { listening } from "../../sandbox/servers/listening.ts";
import { messagesOf } from "../cli/replay/replayed.ts";

const port = 30080;
const app = "web-";
const patience = { timeout: 280_000, interval: 500 };
type Finishing = Pick<TestContext, "onTestFinished">;

/** Registers each ready node that no label takes out, as the cloud controller does; two health checks, 20 s, then make it healthy. */
function followNodes(world: World, pool: Pool): void {
  const known = new Set<string>();
  const follow = ({ metadata, spec, status }: Node): void => {
    const instance = instanceIn(spec.providerID);
    const isReady = status.conditions?.some((it) => it.type === "Ready" && it.status === "True");
    if (!isReady || known.has(instance) || isExcludedBy(metadata.labels)) return;
    known.add(instance);
    const isOld = oldInstances.some(({ id }) => id === instance);
    pool.register(instance, port, isOld ? "healthy" : "initial");
  };
  for (const node of world.cluster.store.list(nodes)) follow(node);
  world.cluster.store.subscribe(({ resource, after }) => {
    if (resource === nodes && after !== undefined) follow(after as Node);
  });
  excludeLabelledNodes(world, milliseconds(700));
}

async function aSandbox({ onTestFinished }: Finishing) {
  const demo = demoNgUpgrade();
  const pools: Pool[] = [];
  const populate = (world: World) => {
    demo.populate(world);
    const pool = world.aws.elb.create({ name: "web", delay: seconds(2) });
    followNodes(world, pool);
    pools.push(pool);
  };
  const sandbox = await startSandbox({ ...demo, populate }, await deployUpgradeDemo());
  onTestFinished(() => sandbox.close());
  const [pool] = pools;
  if (pool === undefined) throw new Error("the sandbox has no load balancer");
  return { sandbox, pool };
}

/** The port of every node: kube-proxy sends a request on to any pod; it takes 300 ms, and fails if the instance ends meanwhile. */
async function nodePorts(sandbox: Sandbox, { onTestFinished }: Finishing): Promise<string> {
  const runs = (instance: string) => sandbox.aws.ec2.tryFind(instance)?.state === "running";
  const serves = () =>
    sandbox.cluster.store.list(pods).some(({ metadata: { name, deletionTimestamp }, status }) => {
      return name.startsWith(app) && deletionTimestamp === undefined && status?.phase === "Running";
    });
  const server = createServer(async ({ url = "" }, response) => {
    const instance = url.slice(1);
    if (!(runs(instance) && serves())) return response.destroy();
    await setTimeout(300);
    return runs(instance) ? response.end("ok") : response.destroy();
  });
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://${await listening(server)}`;
}

/** What a managed node group does at the end of Scale up: it labels all old nodes, healthy new targets or not. */
function labelAllOld(sandbox: Sandbox): void {
  const { store } = sandbox.cluster;
  sandbox.onHappening((happening) => {
    if (happening.kind !== "upgrade-phase" || happening.phase !== "upgrade") return;
    for (const instance of oldInstances)
      store.update({ resource: nodes, name: nodeOf(instance) }, (node) => ({
        ...node,
        metadata: {
          ...node.metadata,
          labels: { ...node.metadata.labels, [exclusionLabel]: "true" },
        },
      }));
  });
}

/** Upgrades the demo group while requests come, and counts them. */
async function upgraded(order: "as managed" | "ours", context: TestContext) {
  const { sandbox, pool } = await aSandbox(context);
  if (order === "as managed") labelAllOld(sandbox);
  const url = await nodePorts(sandbox, context);
  const balancer = await startBalancerServer(pool, (instance) => `${url}/${instance}`);
  context.onTestFinished(() => balancer.close());
  const answers: Promise<number>[] = [];
  const sending = setInterval(() => {
    answers.push(fetch(balancer.url).then(({ status }) => status));
  }, 50);
  context.onTestFinished(() => clearInterval(sending));
  const [message] = messagesOf("demo-ng-upgrade");
  if (message === undefined) throw new Error("the event has no message");
  sandbox.publish(demoUpgrade.names.topic, message);
  const ends = () =>
    sandbox.happenings().flatMap((one) => (one.kind === "upgrade-answered" ? [one.end] : []));
  await context.expect.poll(ends, patience).toEqual([{ kind: "ended", outcome: "done" }]);
  clearInterval(sending);
  const statuses = await Promise.all(answers);
  return { sent: statuses.length, failed: statuses.filter((status) => status !== 200) };
}

// Most of their time these tests wait.
describe("requests over HTTP while a group is upgraded", {
  concurrent: true,
  timeout: 300_000,
}, () => {
  it("all succeed: old nodes leave while as many new ones are healthy targets", async (context) => {
    const { sent, failed } = await upgraded("ours", context);

    context.expect(sent).toBeGreaterThan(500);
    context.expect(failed).toEqual([]);
  });

  it("fail where all old nodes are labelled at the end of Scale up, as a managed node group does", async (context) => {
    const { sent, failed } = await upgraded("as managed", context);

    context.expect(sent).toBeGreaterThan(500);
    context.expect(failed.length).toBeGreaterThan(0);
    context.expect(new Set(failed)).toEqual(new Set([503]));
  });
});
