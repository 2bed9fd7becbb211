import type { Option } from "commander";
import { instanceId } from "../../lambda/base/ids.ts";
import { runsOn } from "../../lambda/drain/node.ts";
import type { ScalingGroup } from "../../lambda/group/scaling-group.ts";
import { deploymentAt } from "../connect/deployment-at.ts";
import { isMissingStack } from "../connect/found.ts";
import { type Foreseen, nothingBeside, type PlanPart } from "../plan/plan-part.ts";
import type { PlanScope } from "../plan/scope.ts";
import { line } from "../terminal/lines.ts";
import { roomRemarks } from "./launch-first.ts";
import { repairLines } from "./repair-case.ts";
import type { RepairCase } from "./repair-schema.ts";
import { repairsAt } from "./repairs-at.ts";

export const options = (): readonly Option[] => [];

/** The repairs in a plan. */
interface PlannedRepairs extends PlanPart {
  readonly summary: { readonly repairs: readonly RepairCase[] };
}

const nothing: PlannedRepairs = { ...nothingBeside, summary: { repairs: [] } };

/** True if a plan of a group is about this one. */
const holds = (
  { name, instances }: ScalingGroup,
  scope: Extract<PlanScope, { readonly kind: "group" }>,
): boolean =>
  scope.name === name || scope.nodes.some((node) => instances.some(({ id }) => runsOn(node, id)));

/**
 * The next steps of the repair function in a group or a cluster, whose name finds the deployment.
 */
export async function planned(foreseen: Foreseen, _given: object): Promise<PlannedRepairs> {
  const { scope, cluster, access, aws, connection } = foreseen;
  if (scope.kind === "nodes" || cluster === "") return nothing;
  const parts = await deploymentAt(cluster, aws, connection);
  const found = await repairsAt({ parts, aws, access });
  // The settings say so already.
  if (isMissingStack(found)) return nothing;
  if (found.kind === "unknown")
    return { ...nothing, remarks: [`repairs are not shown: ${found.why}; ${found.remedy}`] };
  if (found.value === "off") return nothing;
  const isOf = ({ group, instance }: RepairCase): boolean =>
    scope.kind === "cluster" ||
    scope.name === group ||
    scope.nodes.some((node) => runsOn(node, instanceId(instance)));
  const repairs = found.value.cases.filter(isOf);
  const groups = found.value.survey.groups.map(({ scalingGroup }) => scalingGroup);
  const own = groups.filter((group) => scope.kind === "cluster" || holds(group, scope));
  const page = [line("bad", 0, "Repairs:"), ...repairLines(repairs, 1)];
  return {
    ...nothing,
    summary: { repairs },
    remarks: [...found.value.warnings, ...(await roomRemarks(own, aws))],
    pages: repairs.length === 0 ? [] : [page],
  };
}
