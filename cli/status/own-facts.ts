import type { Instant } from "../../lambda/base/time.ts";
import type { Node } from "../../lambda/drain/node.ts";
import type { ScalingGroup } from "../../lambda/group/scaling-group.ts";
import type { AwsAccess } from "../connect/aws-access.ts";
import type { ClusterAccess } from "../connect/cluster-access.ts";
import type { DeploymentParts } from "../connect/deployment-at.ts";

/** Where a status reads what subjects alone need. */
export interface OwnSite {
  readonly aws: AwsAccess;
  readonly access: Pick<ClusterAccess, "client" | "clock">;
  readonly parts: DeploymentParts;
}

/** The facts of a status that subjects use. */
export interface OwnFacts {
  readonly groups: readonly ScalingGroup[];
  readonly nodes: readonly Node[];
  readonly now: Instant;
  readonly isWanted: (place: { readonly group: string; readonly node: string }) => boolean;
}
