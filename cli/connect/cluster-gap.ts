import type { Fault } from "../../lambda/fault.ts";
import { remedyForUser } from "../remedies.ts";

/** Why a command cannot read a cluster, and what the user can do about it. `right` is what the user lacks if the cluster forbids it. */
export const clusterGap = (
  { code, message }: Fault,
  right: string,
): { readonly why: string; readonly remedy: string } => ({
  why: message,
  remedy: remedyForUser(code, {
    "aws.denied": "allow eks:DescribeCluster, or give --kubeconfig",
    "cluster.forbidden": `bind yourself to a ClusterRole that may ${right}`,
  }),
});
