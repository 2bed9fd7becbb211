import type { MachineNode } from "../drain/node.ts";
import {
  isPooled,
  type NamedTemplate,
  type NamedVersion,
  operatorText,
  type ScalingGroup,
  type TemplateVersion,
} from "../group/scaling-group.ts";
import { wordsIn, written } from "../group/tags.ts";
import type { Issue } from "./issues.ts";
import { isOtherVersion } from "./old-instances.ts";
import type { DescribedVersion } from "./upgrade.port.ts";
import type { UpgradeTarget } from "./upgrade-message.ts";
import { skewOf, versionOfParameter } from "./validation.ts";
import { suspensionOf } from "./waits.ts";

/** The facts that decide whether a group can be upgraded. */
export interface SetupFacts {
  readonly group: ScalingGroup;
  readonly nodes: readonly MachineNode[];
  /** The state of the group's instance refresh. */
  readonly refresh: "active" | "none";
  readonly to: UpgradeTarget;
  /** The version of the API server. */
  readonly server: string;
}

const refused = (code: Issue["code"], message: string): readonly Issue[] => [{ code, message }];

/** Why a group cannot be upgraded; empty if it can. */
export const refusals = (facts: SetupFacts): readonly Issue[] => [
  ...refusedGroup(facts),
  ...refusedState(facts),
  ...refusedSource(facts),
  ...refusedVersion(facts),
];

function refusedGroup({ group, nodes }: SetupFacts): readonly Issue[] {
  const nodegroup = group.tags["eks:nodegroup-name"];
  if (nodegroup !== undefined)
    return refused(
      "OperationNotPermitted",
      `group ${group.name} belongs to the managed node group ${nodegroup}, which EKS upgrades itself`,
    );
  if (group.operator !== "") return [operatedIssue(group)];
  const [message] = nodes.flatMap(unfitness);
  return message === undefined ? [] : refused("OperationNotPermitted", message);
}

/** A service alone may change the group. */
export const operatedIssue = (group: Pick<ScalingGroup, "name" | "operator">): Issue => ({
  code: "OperationNotPermitted",
  message: operatorText(group),
});

function unfitness({ name, labels, providerId }: MachineNode): readonly string[] {
  if ("karpenter.sh/nodepool" in labels)
    return [`node ${name} belongs to Karpenter, which replaces its nodes itself`];
  if (providerId !== "") return [];
  const why = "so nobody could drain it: see why no cloud controller gives it one";
  return [`node ${name} has no provider ID, ${why}`];
}

function refusedState({ group, refresh }: SetupFacts): readonly Issue[] {
  if (refresh === "active") return [refreshIssue(group)];
  const suspension = suspensionOf(group);
  return suspension === undefined ? [] : [suspension];
}

/** Auto Scaling replaces the instances of the group itself. */
export const refreshIssue = ({ name }: Pick<ScalingGroup, "name">): Issue => ({
  code: "AutoScalingGroupInstanceRefreshActive",
  message: `an instance refresh of group ${name} is under way: let it end, or cancel it`,
});

function refusedSource({ group: { name, source } }: SetupFacts): readonly Issue[] {
  if (source.kind === "configuration")
    return refused(
      "AutoScalingGroupInvalidConfiguration",
      `group ${name} launches by the launch configuration ${source.name}, which has no versions: give the group a launch template first`,
    );
  if (source.kind === "template" || source.weights === "none") return [];
  return refused(
    "AutoScalingGroupInvalidConfiguration",
    `group ${name} counts its sizes in weights of instance types, not in nodes: take the weights out of its mixed instances policy first`,
  );
}

function refusedVersion({ to, server }: SetupFacts): readonly Issue[] {
  if (to.kind !== "parameter") return [];
  const skew = skewOf(versionOfParameter(to.parameter), server);
  return skew === "" ? [] : refused("OperationNotPermitted", `parameter ${to.parameter}: ${skew}`);
}

/**
 * Why a warm pool prevents an upgrade to a version; empty if it does not. Auto Scaling would launch instances of the old
 * version from the pool, and they cannot be terminated one by one.
 */
export function refusedPool(
  { instances, name }: ScalingGroup,
  to: TemplateVersion,
): readonly Issue[] {
  const old = instances.filter((one) => isPooled(one) && isOtherVersion(one, [to]));
  if (old.length === 0) return [];
  return refused(
    "AutoScalingGroupInvalidConfiguration",
    `${old.length} instances of another version wait in the warm pool of group ${name}: delete the pool, and make it again after the upgrade`,
  );
}

/** The version that a group names at the end of its upgrade: a name such as `$Latest` if that means the same version then. */
export function endingOf(
  to: UpgradeTarget,
  named: NamedVersion,
  { version }: TemplateVersion,
): NamedVersion {
  switch (to.kind) {
    case "version":
      return to.version;
    case "as-it-is":
      return named;
    // The new version is the latest, but not the default.
    case "image":
    case "parameter":
      return named === "$Latest" ? named : version;
  }
}

/** The source of an upgrade's new version. */
interface Making {
  readonly image: string;
  /** The number of the version to copy; only the image differs. */
  readonly from: number;
  /** The id of the upgrade. */
  readonly upgrade: string;
}

/** The description of a version that an upgrade creates. A later pass recognises the version by it. */
export const descriptionOf = ({ image, from, upgrade }: Making): string =>
  written({ image, from, upgrade });

/** The description of a version like the one before an upgrade that was put back. */
export const undoingOf = ({ image, from, upgrade }: Making): string =>
  written({ image, as: from, undoes: upgrade });

/**
 * The version that a group launched by before its upgrade; `undefined` if it is the named one. If that is a name such as
 * `$Latest`, it may mean the version that an interrupted pass has created.
 */
export function tryVersionBefore(
  { template, description }: DescribedVersion,
  upgrade: string,
): NamedTemplate | undefined {
  const words = wordsIn(description);
  const version = Number(words.get("from"));
  return words.get("upgrade") === upgrade && version > 0 ? { template, version } : undefined;
}
