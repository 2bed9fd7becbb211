import { defaultRules, type RepairRule } from "../../lambda/repair/repair-rules.ts";
import type { Survey } from "../../lambda/repair/survey.ts";
import { problemIf, type Verdict } from "../doctor/finding.ts";

/** Says which conditions the rules heed that no node has. */
export function conditionsVerdict(
  rules: readonly RepairRule[],
  { nodes }: Pick<Survey, "nodes">,
): Verdict {
  const set = new Set(nodes.flatMap(({ conditions }) => conditions.map(({ type }) => type)));
  const never = heededIn(rules).filter((one) => nodes.length > 0 && !set.has(one));
  const agents = never.filter((one) => isOfAgent(one) && one !== accelerated);
  const others = never.filter((one) => !isOfAgent(one));
  const found = (all: readonly string[]) =>
    `no node of this cluster has the conditions ${all.join(", ")}, so nothing is repaired for them`;
  return {
    well: never.length === 0 ? "nodes have all conditions that are heeded" : found(never),
    problems: [
      ...problemIf(agents.length > 0, found(agents), installAgent),
      ...problemIf(
        others.length > 0,
        found(others),
        "see that what sets them runs on the nodes, such as node-problem-detector, or remove them from repair.overrides",
      ),
    ],
  };
}

/** The conditions for which something is done; what a deployment says of all reasons comes before the default. */
const heededIn = (rules: readonly RepairRule[]): readonly string[] =>
  [...new Set(rules.map(({ condition }) => condition))].filter((condition) => {
    const own = rules.filter((one) => one.condition === condition);
    const last = own.findIndex(({ reason }) => reason === "*");
    return own.slice(0, last < 0 ? own.length : last + 1).some(({ action }) => action !== "none");
  });

// Only nodes with accelerators have it.
const accelerated = "AcceleratedHardwareReady";
const isOfAgent = (condition: string): boolean =>
  defaultRules.some((one) => one.condition === condition);
const installAgent =
  "install the EKS node monitoring agent add-on (eks-node-monitoring-agent), or set the action none for them in repair.overrides";
