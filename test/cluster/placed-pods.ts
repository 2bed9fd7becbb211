import { pod, podDisruptionBudget, replicaSet } from "./manifests.ts";
import { podRequests } from "./pod-requests.ts";
import type { RealWorld } from "./real-world.ts";

/** Pods that are on a node from the beginning, named like it. */
export interface PlacedPods {
  readonly node: string;
  readonly replicas: number;
  /** How many of them a budget lets go at a time. */
  readonly allowed: number;
  /** The grace that they ask for, in seconds. @default 3 */
  readonly grace?: number;
}

/** Pods of a ReplicaSet that are on a node already, and their budget. */
export function placedPods({ node, replicas, allowed, grace = 3 }: PlacedPods) {
  const workload = { name: node, replicas, spec: { terminationGracePeriodSeconds: grace } };
  return [
    ...Array.from({ length: replicas }, (_, index) =>
      pod({
        ...workload,
        name: `${node}-${index}`,
        labels: { app: node },
        spec: { ...workload.spec, nodeName: node },
      }),
    ),
    replicaSet(workload),
    podDisruptionBudget({ name: node, app: node, allows: { maxUnavailable: allowed } }),
  ];
}

/** The requests for the pods of a workload that name their pod by its UID, one for each time. */
export async function askedOf({ controlPlane }: RealWorld, app: string) {
  return podRequests(await controlPlane.audit({ resource: "pods" }), "default").filter(
    ({ pod: name, uid }) => name.startsWith(`${app}-`) && uid !== "",
  );
}

/** Those of them that were granted. */
export async function grantedTo(world: RealWorld, app: string) {
  return (await askedOf(world, app)).filter(({ code }) => code < 300);
}
