import type { Fault } from "../../lambda/base/fault.ts";
import { type Reason, reasonOf } from "../remedies.ts";

/** Why a command cannot read a cluster, and what the user can do about it. `right` is what the user lacks if the cluster forbids it. */
export const clusterGap = (fault: Fault, right: string): Reason =>
  reasonOf(fault, {
    "aws.denied": "allow eks:DescribeCluster, or give --kubeconfig",
    "cluster.forbidden": `bind yourself to a ClusterRole that may ${right}`,
  });
