import type { Fault, FaultCode } from "../../lambda/fault.ts";

/** Why a command cannot read a cluster, and what the user can do about it. `right` is what the user lacks if the cluster forbids it. */
export const clusterGap = (
  { code, message }: Fault,
  right: string,
): { readonly why: string; readonly remedy: string } => ({
  // The message of the fault speaks of the function's role.
  why: code === "cluster.unauthorized" ? unknownToCluster : message,
  remedy:
    code === "cluster.forbidden"
      ? `bind yourself to a ClusterRole that may ${right}`
      : (remedies[code] ?? "look at the message"),
});

const unknownToCluster = "cluster.unauthorized: the API server of the cluster does not accept you";

const remedies: Readonly<Partial<Record<FaultCode, string>>> = {
  "aws.denied": "allow eks:DescribeCluster, or give --kubeconfig",
  "aws.unreachable":
    "set the Region (--region), sign in, and check the network; or give --kubeconfig",
  "cluster.not-found": "name a cluster of this account and Region, or give --kubeconfig",
  "cluster.unauthorized":
    "give yourself an access entry in the cluster, or sign in as somebody who has one",
  "cluster.unreachable": "check that this computer reaches the endpoint of the cluster",
};
