import type { Host } from "../../lambda/drain/node-info.ts";
import type { Forecast } from "../../lambda/forecast/forecast.ts";
import type { AwsAccess } from "../connect/aws-access.ts";
import type { ClusterAccess } from "../connect/cluster-access.ts";
import type { ConnectionOptions } from "../connect/connection-options.ts";
import type { OutputBody } from "../json/output-schema.ts";
import type { Line } from "../terminal/lines.ts";
import type { SoftwareNode } from "./node-software.ts";
import type { PlanSettings } from "./plan-settings.ts";
import type { PlanScope } from "./scope.ts";

/** The nodes whose drains are foreseen, how they are drained, and the ways to their cluster and to AWS. */
export interface Foreseen {
  readonly scope: PlanScope;
  /** All nodes of the cluster. */
  readonly hosts: readonly Host<SoftwareNode>[];
  /** The name of the cluster in EKS; empty where nobody has named it. */
  readonly cluster: string;
  /** The forecasts of all drains, which are made while the rest is read. */
  readonly drains: Promise<{ readonly forecasts: readonly Forecast[] }>;
  readonly settings: PlanSettings;
  readonly access: ClusterAccess;
  readonly aws: AwsAccess;
  readonly connection: ConnectionOptions;
}

/** The part of a plan that a subject adds to the drains. */
export interface PlanPart {
  /** Objects for programs, between those of the nodes and the summary. */
  readonly objects: readonly OutputBody[];
  /** Pages for people. */
  readonly pages: readonly (readonly Line[])[];
  readonly remarks: readonly string[];
  readonly notLookedAt: readonly string[];
}

/** A plan that tells nothing besides. */
export const nothingBeside: PlanPart = { objects: [], pages: [], remarks: [], notLookedAt: [] };
