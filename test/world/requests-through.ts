import { type Duration, milliseconds } from "../../lambda/base/time.ts";
import type { Pool } from "../../sandbox/aws/pool.ts";
import { nodes, pods } from "../../sandbox/kubernetes/core-resources.ts";
import type { World } from "../../sandbox/scenario.ts";
import type { VirtualWorld } from "./virtual-world.ts";

/** Requests that come all the time, and how long each lasts. */
export interface Stream {
  /** The pods that answer them, by the beginning of their names; the traffic policy of the Service is Local. */
  readonly app: string;
  readonly lasting: Duration;
}

const every = milliseconds(250);

/** Sends requests through a load balancer. One fails if its node has no pod that serves, or if its instance ends before it. */
export function requestsThrough(world: VirtualWorld, pool: Pool, { app, lasting }: Stream) {
  let sent = 0;
  let failed = 0;
  const send = () => {
    const way = pool.request();
    sent += 1;
    if (way === undefined || !serves(world, way.target.instance, app)) failed += 1;
    if (way === undefined) return;
    world.in(lasting, () => {
      way.end();
      if (world.aws.ec2.tryFind(way.target.instance)?.state !== "running") failed += 1;
    });
  };
  const stream = () => {
    send();
    world.in(every, stream);
  };
  stream();
  return { sent: () => sent, failed: () => failed };
}

/** Whether the node of an instance has a pod of the app that is not about to end. */
export function serves(
  { cluster }: Pick<World, "cluster">,
  instance: string,
  app: string,
): boolean {
  const node = cluster.store
    .list(nodes)
    .find(({ spec }) => spec.providerID?.endsWith(`/${instance}`));
  return cluster.store
    .list(pods)
    .some(
      ({ metadata, spec }) =>
        spec.nodeName === node?.metadata.name &&
        metadata.name.startsWith(app) &&
        metadata.deletionTimestamp === undefined,
    );
}
