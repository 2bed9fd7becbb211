import { instanceId } from "../../lambda/base/ids.ts";
import { runsOn } from "../../lambda/drain/node.ts";
import { awsAt } from "../connect/aws-access.ts";
import type { ClusterAccess } from "../connect/cluster-access.ts";
import type { ConnectionOptions } from "../connect/connection-options.ts";
import { deploymentAt } from "../connect/deployment-at.ts";
import type { Scope } from "../plan/scope.ts";
import type { RepairCase } from "./repair-schema.ts";
import { repairsAt } from "./repairs-at.ts";

/** What a plan tells of repairs. */
export interface PlannedRepairs {
  readonly repairs: readonly RepairCase[];
  readonly remarks: readonly string[];
}

const nothing: PlannedRepairs = { repairs: [], remarks: [] };

/** What the repair function would do in a group or a cluster, whose name in EKS tells the deployment. */
export async function plannedRepairs(
  scope: Scope,
  cluster: string,
  options: ConnectionOptions & { readonly access: ClusterAccess },
): Promise<PlannedRepairs> {
  if (scope.kind === "nodes" || cluster === "") return nothing;
  const aws = awsAt(options);
  const parts = await deploymentAt(cluster, aws, options);
  const found = await repairsAt({ parts, aws, access: options.access });
  if (found.kind === "unknown")
    return { repairs: [], remarks: [`repairs are not told: ${found.why}; ${found.remedy}`] };
  if (found.value === "off") return nothing;
  const isOf = ({ group, instance }: RepairCase): boolean =>
    scope.kind === "cluster" ||
    scope.name === group ||
    scope.nodes.some((node) => runsOn(node, instanceId(instance)));
  return { repairs: found.value.cases.filter(isOf), remarks: found.value.warnings };
}
