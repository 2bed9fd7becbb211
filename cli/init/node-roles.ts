import {
  AutoScalingClient,
  type AutoScalingGroup,
  DescribeLaunchConfigurationsCommand,
  type LaunchTemplateSpecification,
} from "@aws-sdk/client-auto-scaling";
import { DescribeLaunchTemplateVersionsCommand, EC2Client } from "@aws-sdk/client-ec2";
import { GetInstanceProfileCommand, IAMClient } from "@aws-sdk/client-iam";
import { awsFault } from "../../lambda/aws/aws-fault.ts";
import type { AwsAccess } from "../connect/aws-access.ts";

/** The launch source of a group that names its instance profile. */
type ProfileSource =
  | { readonly kind: "configuration"; readonly name: string }
  | ({ readonly kind: "template" } & LaunchTemplateSpecification);

/** The launch sources of a group. With a mixed instances policy there may be several templates. */
export function launchSourcesOf(group: AutoScalingGroup): readonly ProfileSource[] {
  const { LaunchConfigurationName: name, MixedInstancesPolicy: mixed, LaunchTemplate } = group;
  const { LaunchTemplateSpecification: base, Overrides: others = [] } = mixed?.LaunchTemplate ?? {};
  const own = others.map(({ LaunchTemplateSpecification: its }) => its);
  const templates = [LaunchTemplate, base, ...own].filter((its) => its !== undefined);
  return [
    ...(name === undefined ? [] : [{ kind: "configuration", name } as const]),
    ...templates.map((its) => ({ kind: "template", ...its }) as const),
  ];
}

/** The ids of the launch templates of some groups, as far as Auto Scaling returns them. */
export function launchTemplatesOf(groups: readonly AutoScalingGroup[]): readonly string[] {
  const ids = groups
    .flatMap(launchSourcesOf)
    .map((source) => (source.kind === "template" ? source.LaunchTemplateId : undefined))
    .filter((id) => id !== undefined);
  return [...new Set(ids)].sort();
}

/** The roles of all instances of some groups, or why not all are known. */
export type NodeRoles =
  | { readonly kind: "known"; readonly arns: readonly string[] }
  | { readonly kind: "unknown"; readonly why: string; readonly found: readonly string[] };

interface Clients {
  readonly autoScaling: AutoScalingClient;
  readonly ec2: EC2Client;
  readonly iam: IAMClient;
  /** The roles of the instance profiles read so far. */
  readonly roles: Map<string, Promise<string>>;
}

/** Finds the roles of all instances, or none: the function would refuse a role that is missing from the list. */
export async function nodeRolesOf(
  groups: readonly AutoScalingGroup[],
  aws: AwsAccess,
): Promise<NodeRoles> {
  const clients = {
    autoScaling: new AutoScalingClient(aws),
    ec2: new EC2Client(aws),
    iam: new IAMClient(aws),
    roles: new Map(),
  };
  const arns = new Set<string>();
  const why = new Set<string>();
  for (const group of groups)
    try {
      const found = await rolesOf(group, clients);
      if (found.length === 0) why.add(`${group.AutoScalingGroupName} has no instance profile`);
      for (const arn of found) arns.add(arn);
    } catch (cause) {
      why.add(awsFault("looking for the roles of nodes", cause).message);
    }
  const found = [...arns].sort();
  if (why.size === 0) return { kind: "known", arns: found };
  return { kind: "unknown", why: [...why].join(", "), found };
}

/** The roles of a group; none if one of its sources has no instance profile. */
async function rolesOf(group: AutoScalingGroup, clients: Clients): Promise<readonly string[]> {
  const profiles = await Promise.all(
    launchSourcesOf(group).map((source) => profileIn(source, clients)),
  );
  const roles = await Promise.all(profiles.map((profile) => roleOf(profile, clients)));
  return roles.includes("none") ? [] : roles;
}

/** The name or the ARN of the instance profile; `none` if the source has none. */
async function profileIn(source: ProfileSource, { autoScaling, ec2 }: Clients): Promise<string> {
  if (source.kind === "configuration") {
    const named = { LaunchConfigurationNames: [source.name] };
    const { LaunchConfigurations: [found] = [] } = await autoScaling.send(
      new DescribeLaunchConfigurationsCommand(named),
    );
    return found?.IamInstanceProfile ?? "none";
  }
  const { LaunchTemplateId: id, LaunchTemplateName: name, Version = "$Default" } = source;
  const template = id === undefined ? { LaunchTemplateName: name } : { LaunchTemplateId: id };
  const { LaunchTemplateVersions: [found] = [] } = await ec2.send(
    new DescribeLaunchTemplateVersionsCommand({ ...template, Versions: [Version] }),
  );
  const { Arn, Name } = found?.LaunchTemplateData?.IamInstanceProfile ?? {};
  return Arn ?? Name ?? "none";
}

function roleOf(profile: string, clients: Clients): Promise<string> {
  const role = clients.roles.get(profile) ?? roleIn(profile, clients);
  clients.roles.set(profile, role);
  return role;
}

async function roleIn(profile: string, clients: Clients): Promise<string> {
  if (profile === "none") return "none";
  const InstanceProfileName = profile.split("/").at(-1) ?? "";
  const { InstanceProfile: found } = await clients.iam.send(
    new GetInstanceProfileCommand({ InstanceProfileName }),
  );
  return found?.Roles?.[0]?.Arn ?? "none";
}
