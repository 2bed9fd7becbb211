import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { FullAutoScalingGroups } from "../../lambda/aws/full-auto-scaling-groups.ts";
import type { Node } from "../../lambda/drain/node.ts";
import type { Forecast } from "../../lambda/forecast/forecast.ts";
import type { ScalingGroup } from "../../lambda/group/scaling-group.ts";
import { usualOptions } from "../../lambda/upgrade/options.ts";
import { tryWindow } from "../../lambda/upgrade/window.ts";
import type { AwsAccess } from "../connect/aws-access.ts";
import { awsParts } from "../connect/aws-parts.ts";
import type { ClusterAccess } from "../connect/cluster-access.ts";
import { readFrom } from "../connect/found.ts";
import { instanceOf } from "../connect/instance-of.ts";
import type { PlanSettings } from "../plan/plan-settings.ts";
import type { Scope } from "../plan/scope.ts";
import { outlookAt, upgradePlan } from "./upgrade-plan.ts";
import type { UpgradePlan } from "./upgrade-schema.ts";

/** What an upgrade of the group would do of which a plan is. */
export type GroupUpgrade =
  | { readonly kind: "planned"; readonly plan: UpgradePlan }
  /** The plan is not of one Auto Scaling group that could be upgraded. */
  | { readonly kind: "none" }
  | { readonly kind: "unknown"; readonly why: string };

/** The nodes whose drains are foreseen, and how they are drained. */
interface Foreseen {
  readonly scope: Scope;
  readonly forecasts: readonly Forecast[];
  readonly settings: PlanSettings;
  /** The maintenance window that somebody has in mind. */
  readonly window: string | undefined;
}

/** The ways to the cluster and to AWS. */
interface Access {
  readonly access: ClusterAccess;
  readonly aws: AwsAccess;
}

/** What an upgrade of all nodes of a group would do, with default options but for the drain time and the window. */
export async function upgradeOf(
  foreseen: Foreseen,
  cluster: string,
  access: Access,
): Promise<GroupUpgrade> {
  const upgrade = await plannedUpgrade(foreseen, cluster, access);
  return upgrade.kind === "none" && foreseen.window !== undefined
    ? {
        kind: "unknown",
        why: "--window: no Auto Scaling group is named that the function upgrades, or no --cluster",
      }
    : upgrade;
}

async function plannedUpgrade(
  { scope, forecasts, settings: known, window }: Foreseen,
  cluster: string,
  { access, aws }: Access,
): Promise<GroupUpgrade> {
  const [first] = scope.nodes;
  if (scope.kind !== "group" || cluster === "" || first === undefined) return { kind: "none" };
  const found = await readFrom("describing the group", "autoscaling:Describe*", () =>
    scalingGroupOf(scope.nodes, aws),
  );
  if (found.kind === "unknown") return found;
  if (found.value === "absent") return { kind: "none" };
  const settings = known.settingsFor(first);
  const options = {
    ...usualOptions,
    drainTimeout: settings.timeout,
    window: tryWindow(window ?? "always") ?? "always",
  };
  const upgrade = { fleet: found.value, targets: "all new", options, settings } as const;
  return { kind: "planned", plan: upgradePlan(await outlookAt(access, upgrade), forecasts) };
}

/** The group of these nodes; EKS upgrades its own ones itself. */
async function scalingGroupOf(
  nodes: readonly Node[],
  aws: AwsAccess,
): Promise<ScalingGroup | "absent"> {
  const ids = nodes.filter(({ providerId }) => providerId.startsWith("aws:")).map(instanceOf);
  if (ids.length === 0) return "absent";
  const memberships = [...(await awsParts(aws).groups.memberships(ids)).values()];
  const names = memberships.flatMap((one) => (one.kind === "member" ? [one.group] : []));
  const [name, ...others] = new Set(names);
  if (name === undefined || others.length > 0) return "absent";
  const fleet = await new FullAutoScalingGroups(new AutoScalingClient(aws)).withPool(name);
  return fleet === "absent" || "eks:nodegroup-name" in fleet.tags ? "absent" : fleet;
}
