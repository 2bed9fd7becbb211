import type { DeploymentWorld } from "../deployment.ts";
import type { StackNames } from "./stack-names.ts";
import type { StackPolicies } from "./stack-policies.ts";
import type { StackResources } from "./stack-resources.ts";

/** A stack that is being deployed, and what it is deployed into. */
export interface Stack extends DeploymentWorld {
  readonly names: StackNames;
  readonly resources: StackResources;
  readonly policies: StackPolicies;
  /** The folder of the bundle with this hash. */
  bundle(hash: string): string;
}
