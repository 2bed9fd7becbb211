import type { Clock } from "../../base/clock.port.ts";
import { seconds } from "../../base/time.ts";
import type { Cluster } from "../../drain/drain.port.ts";
import type { RoomCluster, RoomNodes } from "../../making-room/making-room.port.ts";
import { once } from "../../process/once.ts";
import { TtlCache } from "../../process/ttl-cache.ts";
import type { KubeClient } from "../kube-connection.ts";

/** A cluster, and what reads more of it. */
export interface ClusterTools {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly cluster: Pick<Cluster, "cordonedNodes">;
}

// Several workloads of a node are looked at side by side, and need the same nodes.
const fresh = seconds(1);

/** A cluster in which room is made. The module of its workloads is loaded when it is needed. */
export function roomCluster({ client, clock, cluster }: ClusterTools): RoomCluster {
  const nodes = new TtlCache<RoomNodes>(clock, () => fresh);
  const workloads = once(async () => {
    const { kubeWorkloads } = await import("./kube-workloads.ts");
    return kubeWorkloads(client, clock);
  });
  const read = async (): Promise<RoomNodes> => ({
    cordoned: await cluster.cordonedNodes(),
    hosts: once(async () => (await workloads()).hosts()),
  });
  return { workloads, nodes: () => nodes.recall("", read) };
}
