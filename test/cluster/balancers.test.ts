import { CoreV1Api } from "@kubernetes/client-node";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { tryReadEntry } from "../../journal/entry-schema.ts";
import type { Dated } from "../../lambda/domain/entry.ts";
import { seconds } from "../../lambda/domain/time.ts";
import type { Pool } from "../../sandbox/aws/elb/pool.ts";
import { instanceIn, isExcludedBy } from "../../sandbox/cloud-controller.ts";
import { pod } from "./manifests.ts";
import { type RealWorld, startRealWorld } from "./real-world.ts";

const group = "workers";
const zone = "eu-west-1a";
const nodes = [
  { name: "ip-192-168-18-230.eu-west-1.compute.internal", instanceId: "i-07e9ea9eb19a67337", zone },
  { name: "ip-192-168-43-17.eu-west-1.compute.internal", instanceId: "i-0a4c1f92d6b83e570", zone },
] as const;
const [leaving] = nodes;
const draining = "target group web, port 30080: lets the last requests to the instance end";

/** Looks at the real nodes again and again, and takes those with the label out, as a cloud controller does. */
function followLabels({ aws, controlPlane }: RealWorld): () => void {
  const core = controlPlane.api(CoreV1Api);
  const looking = setInterval(async () => {
    const { items } = await core.listNode();
    for (const { metadata, spec } of items)
      if (isExcludedBy(metadata?.labels)) aws.elb.exclude(instanceIn(spec?.providerID));
  }, 500);
  return () => clearInterval(looking);
}

describe("a node behind a load balancer, on a real control plane", () => {
  let world: RealWorld;
  let pool: Pool;
  let unfollow: () => void;
  const states: string[] = [];

  beforeAll(async () => {
    world = await startRealWorld({ nodes, group });
    const { elb } = world.aws;
    pool = elb.create({ name: "web", delay: seconds(8) });
    for (const { instanceId } of nodes) pool.register(instanceId, 30080, "healthy");
    unfollow = followLabels(world);
    await world.controlPlane.apply(pod({ name: "web", spec: { nodeName: leaving.name } }));
    world.terminate(leaving.instanceId);
    await world.released(leaving.instanceId);
    await vi.waitFor(() => expect(outcomes().map(({ kind }) => kind)).toContain("drained"), 30_000);
    states.push(...pool.targets().map(({ instance, state }) => `${instance} ${state}`));
  });
  afterAll(async () => {
    unfollow();
    await world.stop();
  });

  const told = () => world.log.flatMap((line) => tryReadEntry(line) ?? []);

  const outcomes = () => told().flatMap((one) => (one.kind === "notice-done" ? [one.outcome] : []));

  it("is labelled, and its pod is evicted only after its target drains", () => {
    const entries = told();
    const when = (holds: (entry: Dated) => boolean) => entries.findIndex(holds);
    const marked = when(({ kind }) => kind === "node-marked");
    const drains = when(
      (entry) => entry.kind === "targets-awaited" && entry.targets[0] === draining,
    );
    const evicted = when(({ kind }) => kind === "pod-evicted");
    const gone = when(({ kind }) => kind === "targets-gone");
    const completed = when(({ kind }) => kind === "hook-completed");
    const order = [marked, drains, evicted, gone, completed];
    expect(order).not.toContain(-1);
    expect(order).toEqual(order.toSorted((a, b) => a - b));
  });

  it("has its hook completed when its target is gone, and the other node stays one", () => {
    expect(states).toEqual([`${nodes[1].instanceId} healthy`]);
    expect(outcomes()).toContainEqual({ kind: "drained", attached: [], stuck: [] });
  });
});
