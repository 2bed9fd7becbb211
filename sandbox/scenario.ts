import type { Account } from "./aws/account.ts";
import type { Aws } from "./aws/aws.ts";
import type { RbacObject } from "./kubernetes/api/authorizer.ts";
import type { SandboxCluster } from "./kubernetes/sandbox-cluster.ts";

/** A cluster and the account around it. */
export interface World {
  readonly aws: Aws;
  readonly cluster: SandboxCluster;
}

/** The state of the world before the first event. */
export interface Scenario {
  readonly account: Account;
  readonly clusterName: string;
  /** The RBAC roles of the cluster, and their bindings. */
  readonly rbac: readonly RbacObject[];
  readonly apiServer: "answers" | "silent";
  /** Creates the objects of the scenario in a world. */
  populate(world: World): void;
}

/** Every problem that a scenario can have before an event arrives, described for an operator. */
export const breakages = {
  "hook-completed": "somebody has completed the hook already",
  "no-node": "the instance never joined the cluster",
  "api-silent": "the API server does not answer",
  "token-refused": "the function's role is not mapped in aws-auth",
  "no-rbac": "the function's group has no role in the cluster",
  "budget-blocked": "a budget allows no eviction of the nginx pods",
} as const satisfies Record<string, string>;

/** The name of such a problem. */
export type Breakage = keyof typeof breakages;
