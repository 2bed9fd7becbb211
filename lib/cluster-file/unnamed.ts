import { awsAuthUse, makesEntries, type NodeAdmission } from "../../lambda/rights/aws-auth-use.ts";

/** The use of node roles and launch templates by a deployment, and which of them it names. */
export interface Naming {
  readonly clusterName: string;
  readonly admission: NodeAdmission;
  readonly upgrades: "off" | "on" | undefined;
  readonly nodeRoles: readonly string[] | undefined;
  readonly launchTemplates: readonly string[] | undefined;
}

/** A list that the deployment needs but does not have, and what belongs into it. */
export interface Unnamed {
  readonly list: "launchTemplates" | "nodeRoles";
  readonly expected: string;
}

/** The missing lists. Without them, stolen credentials of a function could use any role or launch template of the account. */
export function unnamedIn(naming: Naming): readonly Unnamed[] {
  const { clusterName, nodeRoles = [], launchTemplates = [] } = naming;
  const finds = `"npx eks-node-lifecycle init ${clusterName} --json" finds them`;
  const needed = [
    { list: "nodeRoles", has: nodeRoles, what: rolesNeeded(naming) },
    { list: "launchTemplates", has: launchTemplates, what: templatesNeeded(naming) },
  ] as const;
  return needed
    .filter(({ has, what }) => has.length === 0 && what !== "nothing")
    .map(({ list, what }) => ({ list, expected: `${what}; ${finds}` }));
}

function rolesNeeded({ admission, upgrades }: Naming): string {
  const roles = (which: string): string =>
    `the roles of the nodes, ${which}, such as ["arn:aws:iam::123456789012:role/nodes"]`;
  if (admission.access === "at deployment")
    return roles('which launch.access "at deployment" registers');
  if (awsAuthUse(admission) === "edit")
    return roles("the only ones that the function may map in aws-auth");
  if (makesEntries(admission))
    return roles("the only ones that the function may make access entries for, and pass to EKS");
  return upgrades === "on"
    ? roles("the only ones that upgrades may launch instances with")
    : "nothing";
}

const templatesNeeded = ({ upgrades }: Naming): string =>
  upgrades === "on"
    ? 'the launch templates of the groups, the only ones that upgrades may use, such as ["lt-0123456789abcdef0"]'
    : "nothing";

const inFile = { nodeRoles: "nodeRoleArns", launchTemplates: "launchTemplateIds" } as const;

/** The key of a list in a cluster's file. */
export const fileKeyOf = ({ list }: Unnamed): string => inFile[list];
