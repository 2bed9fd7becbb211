import { faultOf } from "../../lambda/base/fault.ts";
import type { InstanceId } from "../../lambda/base/ids.ts";
import type { Labels } from "../../lambda/base/labels.ts";
import { seconds } from "../../lambda/base/time.ts";
import { tagOf } from "../../lambda/config/group-settings.ts";
import { drainPolicyIn } from "../../lambda/config/policies.ts";
import { hookSettings } from "../../lambda/config/settings.ts";
import type { Variables } from "../../lambda/config/variables.ts";
import { type DrainLengths, hookLengths } from "../../lambda/drain/drain-bounds.ts";
import type { DrainSettings } from "../../lambda/drain/drain-policy.ts";
import type { Node } from "../../lambda/drain/node.ts";
import { awsAt } from "../connect/aws-access.ts";
import { awsParts, instanceOf } from "../connect/aws-parts.ts";
import type { ConnectionOptions } from "../connect/connection-options.ts";
import { type DeploymentParts, deploymentAt } from "../connect/deployment-at.ts";
import { isMissingStack } from "../connect/found.ts";

/** The settings that the user overrides, by their keys in the environment. */
export type Wishes = Variables;

export interface PlanSettings {
  settingsFor(node: Node): DrainSettings;
  /** The Auto Scaling group of a node; empty if it is not known. */
  groupOf(node: Node): string;
  lengthsOf(settings: DrainSettings): DrainLengths;
  /** The deployment that has the settings; `none` if they are the defaults. */
  readonly parts: DeploymentParts | "none";
  /** Where the settings are from, and what could not be read. */
  readonly remarks: readonly string[];
}

/** Reads the settings from the cluster's deployment; takes the defaults if there is none. */
export async function planSettings(
  cluster: string,
  nodes: readonly Node[],
  { wishes, ...options }: ConnectionOptions & { readonly wishes: Wishes },
): Promise<PlanSettings> {
  const deployed = await deployedWith(cluster, options);
  const variables = { ...deployed.variables, ...wishes };
  const tagged = deployed.parts !== "none" ? await tagsOf(nodes, options) : noTags;
  const policy = drainPolicyIn(variables, []);
  const heartbeat = Number(variables[hookSettings.heartbeat.key] ?? hookSettings.heartbeat.default);
  return {
    parts: deployed.parts,
    remarks: [...deployed.remarks, ...tagged.remarks],
    settingsFor: (node) =>
      policy.settingsFor(without(wishes, tagged.tags.get(instanceOf(node)) ?? {})).settings,
    groupOf: (node) => tagged.groups.get(instanceOf(node)) ?? "",
    lengthsOf: (settings) => hookLengths(settings, seconds(heartbeat)),
  };
}

interface DeployedVariables extends Pick<PlanSettings, "parts" | "remarks"> {
  readonly variables: Variables;
}

async function deployedWith(
  cluster: string,
  options: ConnectionOptions,
): Promise<DeployedVariables> {
  const none = { parts: "none", variables: {} } as const;
  if (cluster === "")
    return { ...none, remarks: ["the settings are the defaults: no --cluster is named"] };
  const parts = await deploymentAt(cluster, awsAt(options), options);
  const { function: found, stack } = parts;
  if (isMissingStack(found) && parts.state.kind === "unknown")
    return {
      ...none,
      remarks: [`not deployed yet (no stack ${stack}): planned with the defaults`],
    };
  if (found.kind === "unknown")
    return { ...none, remarks: [`the settings are the defaults: ${found.why}; ${found.remedy}`] };
  const { Environment: { Variables: variables = {} } = {} } = found.value;
  return { parts, variables, remarks: [`the settings are those of stack ${stack}`] };
}

/** The tags of a group, without those that the user overrides. */
function without(wishes: Wishes, tags: Labels): Labels {
  const overruled = Object.keys(wishes).map(tagOf);
  return Object.fromEntries(Object.entries(tags).filter(([key]) => !overruled.includes(key)));
}

interface Tagged {
  readonly groups: ReadonlyMap<InstanceId, string>;
  readonly tags: ReadonlyMap<InstanceId, Labels>;
  readonly remarks: readonly string[];
}

const noTags: Tagged = { groups: new Map(), tags: new Map(), remarks: [] };

/** The tags of each node's group, which override settings. */
async function tagsOf(nodes: readonly Node[], options: ConnectionOptions): Promise<Tagged> {
  try {
    const { groups } = awsParts(awsAt(options));
    const members = [...(await groups.memberships(nodes.map(instanceOf)))];
    const known = members.flatMap(([instance, one]) =>
      one.kind === "member" ? [{ instance, group: one.group }] : [],
    );
    const tags = await groups.tagsOf([...new Set(known.map(({ group }) => group))]);
    return {
      groups: new Map(known.map(({ instance, group }) => [instance, group])),
      tags: new Map(known.map(({ instance, group }) => [instance, tags.get(group) ?? {}])),
      remarks: [],
    };
  } catch (cause) {
    return { ...noTags, remarks: [`the tags of groups do not count: ${faultOf(cause).message}`] };
  }
}
