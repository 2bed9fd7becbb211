import type { AwsAccess } from "../connect/aws-access.ts";
import type { DeploymentParts } from "../connect/deployment-at.ts";
import type { DrainRequest, DrainSite } from "../drain/drain-site.ts";

/** What a person wants done with the nodes of a zone. */
export interface Wish extends Pick<DrainRequest, "connection" | "settings" | "what"> {
  readonly cluster: string;
  /** Such as `eu-west-1a`. */
  readonly zone: string;
  /** What becomes of the empty instances. */
  readonly end: "keep" | "replace";
  /** Whether pods may move that find no place in the other zones. */
  readonly homeless: "allowed" | "refused";
  /** How many nodes are drained side by side. */
  readonly atOnce: number;
}

/** Where a zone is evacuated: its cluster and its groups. */
export interface EvacuationSite extends DrainSite {
  readonly aws: AwsAccess;
  readonly parts: DeploymentParts;
}

/** The drains of the zone's nodes, as they are asked for at a terminal. */
export const requestOf = ({ what, settings, atOnce, connection }: Wish): DrainRequest => ({
  ...{ nodes: [], what, settings, reason: "evacuated" },
  ...{ parallel: atOnce, asksAws: true, connection },
});
