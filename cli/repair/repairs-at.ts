import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { EC2Client } from "@aws-sdk/client-ec2";
import type { FunctionConfiguration } from "@aws-sdk/client-lambda";
import { Ec2Machines } from "../../lambda/aws/ec2-instances.ts";
import { FullAutoScalingGroups } from "../../lambda/aws/full-auto-scaling-groups.ts";
import { ArcZonalShifts } from "../../lambda/aws/zonal-shifts.ts";
import type { OutputName } from "../../lambda/base/contract.ts";
import { drainReasons } from "../../lambda/drain-reasons.ts";
import { KubeGroupNodes } from "../../lambda/kubernetes/kube-group-nodes.ts";
import { SharedSightings } from "../../lambda/process/shared-sightings.ts";
import { readSurvey, type SurveyPorts } from "../../lambda/repair/read-survey.flow.ts";
import { parseRepairConfig, type RepairConfig } from "../../lambda/repair/repair-config.ts";
import type { Survey } from "../../lambda/repair/survey.ts";
import { configOf, type DeploymentParts, functionOf } from "../connect/deployment-at.ts";
import { type Found, known, readFrom } from "../connect/found.ts";
import type { Gap } from "../status/gap-schema.ts";
import type { OwnSite } from "../status/own-facts.ts";
import { repairCaseOf } from "./repair-case.ts";
import type { RepairCase } from "./repair-schema.ts";

/** The next steps of the repair function. */
interface Repairs {
  readonly survey: Survey;
  readonly cases: readonly RepairCase[];
  /** The facts that could not be read. */
  readonly warnings: readonly string[];
}

/** The configuration of a deployment's repair function; `off` if it has none. */
export async function repairConfigOf(
  described: Found<FunctionConfiguration>,
  { parts: { output }, aws }: Omit<OwnSite, "access">,
): Promise<Found<RepairConfig | "off">> {
  const isKnown = (name: OutputName) => output(name).kind === "known";
  if (isKnown("FunctionName") && !isKnown("RepairFunctionName")) return known("off");
  return configOf(described, aws, parseRepairConfig);
}

/** Judges the instances of a deployment as its repair function does, and changes nothing. */
export async function repairsAt(site: OwnSite): Promise<Found<Repairs | "off">> {
  const described = await functionOf(site.parts.output("RepairFunctionName"), site.aws);
  return repairsBy(await repairConfigOf(described, site), site);
}

/** The same, with a configuration that is read already. */
export async function repairsBy(
  config: Found<RepairConfig | "off">,
  site: OwnSite,
): Promise<Found<Repairs | "off">> {
  if (config.kind === "unknown") return config;
  const { value: policy } = config;
  if (policy === "off") return known(policy);
  return readFrom("judging repairs", actions, async () => {
    const warnings: string[] = [];
    const ports = surveyPorts(policy.region, site, warnings);
    const { survey, plan } = await readSurvey({ policy, ports, lastTries: new Map() });
    return { survey, cases: plan.cases.map(repairCaseOf), warnings };
  });
}

const actions =
  "autoscaling:Describe* and ec2:DescribeInstances in AWS, and listing nodes in the cluster";

function surveyPorts(region: string, { aws, access }: OwnSite, warnings: string[]): SurveyPorts {
  const autoScaling = new AutoScalingClient(aws);
  const machines = new Ec2Machines(new EC2Client(aws));
  return {
    clock: access.clock,
    reasons: drainReasons,
    sightings: new SharedSightings(access.clock),
    groups: new FullAutoScalingGroups(autoScaling),
    groupNodes: new KubeGroupNodes(access.client, machines),
    machines,
    shifts: new ArcZonalShifts(region, aws),
    journal: {
      record(entry) {
        if (entry.kind === "warning") warnings.push(`${entry.about}: ${entry.warnings.join("; ")}`);
      },
    },
  };
}

/** The ill instances, as far as they were found. */
export const casesIn = (found: Found<Repairs | "off">): readonly RepairCase[] =>
  found.kind === "unknown" || found.value === "off" ? [] : found.value.cases;

/**
 * The facts about repairs that a status could not read. If the stack cannot be read, that is
 * reported with the function.
 */
export function repairGaps(
  found: Found<Repairs | "off">,
  { output }: DeploymentParts,
): readonly Gap[] {
  const gap = { source: "repairs", hides: "details" } as const;
  if (found.kind === "unknown") {
    const { why, remedy } = found;
    return output("RepairFunctionName").kind === "known" ? [{ ...gap, why, remedy }] : [];
  }
  const { warnings } = found.value === "off" ? { warnings: [] } : found.value;
  return warnings.map((why) => ({ ...gap, why, remedy: "allow arc-zonal-shift:ListZonalShifts" }));
}
