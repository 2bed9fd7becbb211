import type { Account } from "./aws/account.ts";
import type { Aws } from "./aws/aws.ts";
import type { RbacObject } from "./cluster/api/authorizer.ts";
import type { SandboxCluster } from "./cluster/sandbox-cluster.ts";

/** A cluster and the account around it. */
export interface World {
  readonly aws: Aws;
  readonly cluster: SandboxCluster;
}

/** What there is before the first event arrives. */
export interface Scenario {
  readonly account: Account;
  readonly clusterName: string;
  /** The roles of the cluster, and who has them. */
  readonly rbac: readonly RbacObject[];
  readonly apiServer: "answers" | "silent";
  /** Puts everything into the world. */
  populate(world: World): void;
}
