import type { ServerClock } from "../process/server-clock.ts";
import { clusterKnown } from "./cluster-known.ts";
import type { EksClusterClient } from "./eks-cluster-client.ts";

/** Waits until a server has said what time it is: EKS does so when it names the endpoint of the cluster, which each pass needs. */
export async function timeKnown(
  client: Pick<EksClusterClient, "connection">,
  clock: ServerClock,
): Promise<void> {
  if (!clock.taught) await clusterKnown(client, clock).catch(() => undefined);
}
