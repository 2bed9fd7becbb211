import { Stack, Token } from "aws-cdk-lib";
import type { IConstruct } from "constructs";
import type { ClusterPlace } from "../cluster-place.ts";
import { Refusal } from "../refusal.ts";

/** A construct that looks after a cluster's nodes. */
interface Keeper extends IConstruct {
  readonly cluster: ClusterPlace;
}

/** Refuses a construct if another one looks after the same cluster, because both would make the same hooks and rights. */
export function assertOnly(keeper: Keeper, keepers: readonly Keeper[]): void {
  const other = keepers.find((one) => one !== keeper && clusterOf(one) === clusterOf(keeper));
  if (other === undefined) return;
  throw new Refusal(
    `${other.node.path} and ${keeper.node.path} are both for the cluster ${nameOf(keeper)}; one with all groups will do`,
  );
}

/** The account, the Region and the name of a cluster, as far as CDK knows them before the deployment. */
function clusterOf(keeper: Keeper): string {
  const { account, region } = Stack.of(keeper);
  const { clusterName } = keeper.cluster;
  const place = [account, region].map((part) => (Token.isUnresolved(part) ? "" : part));
  return JSON.stringify([...place, clusterName]);
}

const nameOf = ({ cluster: { clusterName } }: Keeper): string =>
  Token.isUnresolved(clusterName) ? "that CDK makes" : clusterName;
