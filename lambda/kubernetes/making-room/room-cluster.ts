import type { Clock } from "../../base/clock.port.ts";
import type { RoomCluster } from "../../making-room/making-room.port.ts";
import { once } from "../../process/once.ts";
import type { KubeClient } from "../kube-connection.ts";

/** A cluster, and what reads more of it. */
export interface ClusterTools {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly cluster: Pick<RoomCluster, "cordonedNodes">;
}

/** A cluster in which room is made. The module of its workloads is loaded when it is needed. */
export const roomCluster = ({ client, clock, cluster }: ClusterTools): RoomCluster => ({
  cordonedNodes: () => cluster.cordonedNodes(),
  workloads: once(async () => {
    const { kubeWorkloads } = await import("./kube-workloads.ts");
    return kubeWorkloads(client, clock);
  }),
});
