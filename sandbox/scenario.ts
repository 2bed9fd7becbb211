import type { Account } from "./aws/account.ts";
import type { Aws } from "./aws/aws.ts";
import type { RbacObject } from "./kubernetes/api/authorizer.ts";
import type { SandboxCluster } from "./kubernetes/sandbox-cluster.ts";

/** A cluster and the account around it. */
export interface World {
  readonly aws: Aws;
  readonly cluster: SandboxCluster;
}

/** What the world is like before the first event. */
export interface Scenario {
  readonly account: Account;
  readonly clusterName: string;
  /** The RBAC roles of the cluster, and their bindings. */
  readonly rbac: readonly RbacObject[];
  readonly apiServer: "answers" | "silent";
  /** Creates the objects of the scenario in a world. */
  populate(world: World): void;
}
