import type { DeploymentSpec } from "../deployment.ts";
import type { StackNames } from "./stack-names.ts";
import type { StackPolicies } from "./stack-policies.ts";
import type { StackResources } from "./stack-resources.ts";

/** A stack that is being deployed, and what it is deployed in. */
export interface Stack extends Omit<DeploymentSpec, "deployed" | "scenario"> {
  readonly names: StackNames;
  readonly resources: StackResources;
  readonly policies: StackPolicies;
}
