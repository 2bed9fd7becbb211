import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { main } from "../../cli/main.ts";
import { instanceId } from "../../lambda/base/ids.ts";
import { instant, seconds } from "../../lambda/base/time.ts";
import { healthEventOf } from "../../lambda/interruption/passed-on-event.ts";
import { logQueries } from "../../lib/watching/log-queries.ts";
import { queryStringOf } from "../../lib/watching/saved-queries.ts";
import { capturedIo } from "../cli/captured-io.ts";
import { readQuery, rowOf } from "../docs/insights-query.ts";
import { applyAdopted } from "./adopted-pods.ts";
import { mutatingVerbs } from "./audit-log.ts";
import { running } from "./ended-at-once.ts";
import { askedOf, grantedTo, placedPods } from "./placed-pods.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";
import { eventOf, publishEvent, tellEvent } from "./told-events.ts";

const group = "workers";
const names = ["told-often", "at-a-terminal", "stopped", "stays"] as const;
const nodes = names.map((name, index) => ({
  name,
  instanceId: `i-0000000000000000${index + 1}`,
  zone: "eu-west-1a",
}));
const [often, terminal, stopped, stays] = nodes.map(({ instanceId }) => instanceId);
const patience = { timeout: 90_000, interval: 200 };
const replicas = 8;

/** A forged Health event: work that begins now. */
const healthEventAbout = (some: typeof nodes): object =>
  healthEventOf({
    kind: "maintenance",
    id: "7bf73129-1428-4cd3-a780-95db273d1602",
    instances: some.map((one) => instanceId(one.instanceId)),
    status: "open",
    startTime: instant(Date.now()),
    event: "arn:aws:health:eu-west-1::event/EC2/AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED/forged",
    eventType: "AWS_EC2_INSTANCE_RETIREMENT_SCHEDULED",
    since: instant(Date.now()),
  });

describe("several drains of one node, on a real control plane", () => {
  let world: RealWorld;

  beforeAll(async () => {
    const mapping = { batchSize: 1, window: seconds(0), maximumConcurrency: 4 } as const;
    world = await startRealWorld({
      nodes,
      group,
      mapping: { ...mapping, responses: "report-batch-item-failures" },
    });
    const [first, second, third] = names;
    await applyAdopted(
      world.controlPlane,
      ...placedPods({ node: first, replicas, allowed: replicas }),
      ...placedPods({ node: second, replicas, allowed: 2 }),
      ...placedPods({ node: third, replicas, allowed: 2 }),
    );
    await vi.waitFor(async () => expect((await running(world)).size).toBe(3 * replicas), patience);
  }, 120_000);
  afterAll(async () => world.stop());

  const granted = async (app: string) => (await grantedTo(world, app)).map(({ uid }) => uid);

  const drain = (node: string) => {
    const io = capturedIo();
    const access = ["--kubeconfig", world.controlPlane.kubeconfig, "--no-aws"];
    return { io, done: main(["drain", node, ...access], io) };
  };

  const textOf = (node: string) =>
    world.controlPlane.kubectlText("get", "node", node, "-o", "json");

  it("untrue events about a node that stays touch it by nothing, for EC2 says otherwise", async () => {
    const instance = stays ?? "";
    const told = (["interruption", "rebalance", "shutting-down"] as const).map((event) =>
      eventOf(world, event, { instance }),
    );
    for (const event of [...told, healthEventAbout(nodes)]) publishEvent(world, event);
    const ignored = () =>
      world.log.filter((line) => line.includes('"kind":"ignored"') && line.includes(instance));
    await vi.waitFor(() => expect(ignored()).toHaveLength(told.length), patience);
    await vi.waitFor(() => expect(world.log.join("")).toContain("is asked again"), patience);
    expect(await textOf("stays")).not.toMatch(/unschedulable|eks-node-lifecycle/);
    expect(await granted("stays")).toEqual([]);
  }, 120_000);

  it("a hook, its event, a Spot interruption and a rebalance in four processes evict each pod once, and complete the hook once", async () => {
    world.terminate(often ?? "");
    for (const event of ["interruption", "hold", "rebalance"] as const)
      tellEvent(world, event, { instance: often ?? "", group });
    const actions = await world.released(often ?? "");
    expect(actions).toMatchObject([{ end: { result: "CONTINUE", by: "call" } }]);
    const uids = await granted("told-often");
    expect(uids).toHaveLength(replicas);
    expect(new Set(uids).size).toBe(replicas);

    const audit = await world.controlPlane.audit();
    const writes = audit.filter(
      ({ userAgent = "", verb, stage }) =>
        userAgent.startsWith("eks-node-lifecycle/") &&
        mutatingVerbs.includes(verb) &&
        stage === "ResponseComplete",
    );
    const found = readQuery(queryStringOf(logQueries.writes).toString()).find(
      audit.map(({ line }) => rowOf(line)),
    );
    expect(found.map(({ "@message": line }) => line)).toEqual(
      writes.map(({ line }) => line).toReversed(),
    );
  }, 120_000);

  it("a drain at a terminal and the function evict each pod once, and both say that the node is drained", async () => {
    const { done } = drain("at-a-terminal");
    await vi.waitFor(
      async () => expect((await granted("at-a-terminal")).length).toBeGreaterThan(0),
      patience,
    );
    world.terminate(terminal ?? "");
    expect(await done).toBe(0);
    expect(await world.released(terminal ?? "")).toMatchObject([{ end: { result: "CONTINUE" } }]);
    const uids = await granted("at-a-terminal");
    expect(uids).toHaveLength(replicas);
    expect(new Set(uids).size).toBe(replicas);
  }, 120_000);

  it("Ctrl-C at the terminal leaves the node closed, and the function drains what is left", async () => {
    const { io, done } = drain("stopped");
    await vi.waitFor(
      async () => expect((await granted("stopped")).length).toBeGreaterThan(0),
      patience,
    );
    world.terminate(stopped ?? "");
    await vi.waitFor(
      async () =>
        expect(await textOf("stopped")).toContain('"eks-node-lifecycle/reason": "terminating"'),
      patience,
    );
    io.interrupt();
    expect(await done).toBe(3);
    expect(await textOf("stopped")).toContain('"unschedulable": true');
    expect(await world.released(stopped ?? "")).toMatchObject([{ end: { result: "CONTINUE" } }]);
    // The API server answers 504 to a request whose client is gone; it may have granted it.
    const asked = await askedOf(world, "stopped");
    const answered = asked.filter(({ code }) => code < 300 || code === 504);
    expect(new Set(answered.map(({ uid }) => uid)).size).toBe(replicas);
    expect(asked.filter(({ verb }) => verb === "delete")).toEqual([]);
    const uids = await granted("stopped");
    expect(new Set(uids).size).toBe(uids.length);
    expect(await textOf("stopped")).toContain('"unschedulable": true');
  }, 120_000);
});
