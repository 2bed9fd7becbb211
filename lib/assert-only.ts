import { Stack, Token } from "aws-cdk-lib";
import type { IConstruct } from "constructs";
import type { ClusterPlace } from "./cluster-place.ts";
import { Refusal } from "./refusal.ts";

/** A construct that looks after a cluster's nodes. */
interface Keeper extends IConstruct {
  readonly cluster: ClusterPlace;
}

/** Refuses a construct for a cluster that another one of the app looks after: their hooks and rights would be the same. */
export function assertOnly<T extends Keeper>(keeper: T, type: new (...args: never[]) => T): void {
  const isOther = (found: IConstruct): found is T => found instanceof type && found !== keeper;
  const others = keeper.node.root.node.findAll().filter(isOther);
  const other = others.find((one) => clusterOf(one) === clusterOf(keeper));
  if (other === undefined) return;
  throw new Refusal(
    `${other.node.path} and ${keeper.node.path} are both for the cluster ${nameOf(keeper)}; one with all groups will do`,
  );
}

/** Where a cluster is, and its name: as much of it as is known before the deployment. */
function clusterOf(keeper: Keeper): string {
  const { account, region } = Stack.of(keeper);
  const { clusterName } = keeper.cluster;
  const place = [account, region].map((part) => (Token.isUnresolved(part) ? "" : part));
  return JSON.stringify([...place, clusterName]);
}

const nameOf = ({ cluster: { clusterName } }: Keeper): string =>
  Token.isUnresolved(clusterName) ? "that CDK makes" : clusterName;
