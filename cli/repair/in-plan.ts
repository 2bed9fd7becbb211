import type { Option } from "commander";
import { instanceId } from "../../lambda/base/ids.ts";
import { runsOn } from "../../lambda/drain/node.ts";
import { deploymentAt } from "../connect/deployment-at.ts";
import { isMissingStack } from "../connect/found.ts";
import { type Foreseen, nothingBeside, type PlanPart } from "../plan/plan-part.ts";
import { line } from "../terminal/lines.ts";
import { repairLines } from "./repair-case.ts";
import type { RepairCase } from "./repair-schema.ts";
import { repairsAt } from "./repairs-at.ts";

export const options = (): readonly Option[] => [];

/** The repairs in a plan. */
interface PlannedRepairs extends PlanPart {
  readonly summary: { readonly repairs: readonly RepairCase[] };
}

const nothing: PlannedRepairs = { ...nothingBeside, summary: { repairs: [] } };

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
  const page = [line("bad", 0, "Repairs:"), ...repairLines(repairs, 1)];
  return {
    ...nothing,
    summary: { repairs },
    remarks: found.value.warnings,
    pages: repairs.length === 0 ? [] : [page],
  };
}
