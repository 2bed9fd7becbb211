import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { EC2Client } from "@aws-sdk/client-ec2";
import type { FunctionConfiguration } from "@aws-sdk/client-lambda";
import { Ec2Machines } from "../../lambda/aws/ec2-instances.ts";
import { FullAutoScalingGroups } from "../../lambda/aws/full-auto-scaling-groups.ts";
import { ArcZonalShifts } from "../../lambda/aws/zonal-shifts.ts";
import type { OutputName } from "../../lambda/base/contract.ts";
import { instanceId } from "../../lambda/base/ids.ts";
import { runsOn } from "../../lambda/drain/node.ts";
import { KubeGroupNodes } from "../../lambda/kubernetes/kube-group-nodes.ts";
import { systemClock } from "../../lambda/process/system-clock.ts";
import { readSurvey, type SurveyPorts } from "../../lambda/repair/read-survey.flow.ts";
import { parseRepairConfig, type RepairConfig } from "../../lambda/repair/repair-config.ts";
import type { Survey } from "../../lambda/repair/survey.ts";
import { type AwsAccess, awsAt } from "../connect/aws-access.ts";
import type { ClusterAccess } from "../connect/cluster-access.ts";
import type { ConnectionOptions } from "../connect/connection-options.ts";
import {
  configOf,
  type DeploymentParts,
  deploymentAt,
  functionOf,
} from "../connect/deployment-at.ts";
import { type Found, known, readFrom } from "../connect/found.ts";
import type { PlanScope } from "../plan/scope.ts";
import { repairCaseOf } from "./repair-case.ts";
import type { RepairCase } from "./repair-schema.ts";

/** Where the repairs of a deployment are read. */
interface RepairSite {
  readonly aws: AwsAccess;
  readonly access: Pick<ClusterAccess, "client">;
  readonly parts: DeploymentParts;
}

/** What the repair function would do now. */
interface Repairs {
  readonly survey: Survey;
  readonly cases: readonly RepairCase[];
  /** What could not be read. */
  readonly warnings: readonly string[];
}

/** The configuration of a deployment's repair function; `off` if it has none. */
export async function repairConfigOf(
  described: Found<FunctionConfiguration>,
  { parts: { output }, aws }: Omit<RepairSite, "access">,
): Promise<Found<RepairConfig | "off">> {
  const isKnown = (name: OutputName) => output(name).kind === "known";
  if (isKnown("FunctionName") && !isKnown("RepairFunctionName")) return known("off");
  return configOf(described, aws, parseRepairConfig);
}

/** Judges the instances of a deployment as its repair function does, and changes nothing. */
export async function repairsAt(site: RepairSite): Promise<Found<Repairs | "off">> {
  const described = await functionOf(site.parts.output("RepairFunctionName"), site.aws);
  return repairsBy(await repairConfigOf(described, site), site);
}

/** The same, with a configuration that is read already. */
export async function repairsBy(
  config: Found<RepairConfig | "off">,
  site: RepairSite,
): Promise<Found<Repairs | "off">> {
  if (config.kind === "unknown") return config;
  const { value: policy } = config;
  if (policy === "off") return known(policy);
  return readFrom("judging repairs", actions, async () => {
    const warnings: string[] = [];
    const ports = surveyPorts(policy.region, site, warnings);
    const { survey, plan } = await readSurvey({ policy, ports });
    return { survey, cases: plan.cases.map(repairCaseOf), warnings };
  });
}

const actions =
  "autoscaling:Describe* and ec2:DescribeInstances in AWS, and listing nodes in the cluster";

function surveyPorts(region: string, { aws, access }: RepairSite, warnings: string[]): SurveyPorts {
  const autoScaling = new AutoScalingClient(aws);
  const machines = new Ec2Machines(new EC2Client(aws));
  return {
    clock: systemClock,
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

/** The repairs in a plan. */
export interface PlannedRepairs {
  readonly repairs: readonly RepairCase[];
  readonly remarks: readonly string[];
}

const nothing: PlannedRepairs = { repairs: [], remarks: [] };

/** What the repair function would do in a group or a cluster, whose name finds the deployment. */
export async function plannedRepairs(
  scope: PlanScope,
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
