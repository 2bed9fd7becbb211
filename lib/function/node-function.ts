import type { Construct } from "constructs";
import { nodePermissions } from "./function-permissions.ts";
import { type GroupFunctionProps, groupFunction } from "./group-function.ts";

/** Creates the function that works on notices. */
export const nodeFunction = (scope: Construct, id: string, props: GroupFunctionProps) =>
  groupFunction(scope, id, {
    ...props,
    bundle: "node",
    description: `Drains and registers nodes of cluster ${props.surroundings.cluster.clusterName}`,
    roleDescription: "Drains and registers the nodes of the managed groups",
    grants: nodePermissions,
  });
