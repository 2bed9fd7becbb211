import type { AutoScalingGroup } from "@aws-sdk/client-auto-scaling";
import type { AuthenticationMode, Cluster } from "@aws-sdk/client-eks";
import { groupName } from "../../lambda/base/ids.ts";
import { operatorText } from "../../lambda/group/scaling-group.ts";
import { launchTemplatesOf, type NodeRoles } from "./node-roles.ts";

type UnknownRoles = Extract<NodeRoles, { readonly kind: "unknown" }>;

/** The content of `clusters/NAME.json`, in dry run. */
export function clusterFileOf(
  cluster: Cluster,
  {
    groups,
    nodeRoleArns,
    subnetIds,
  }: {
    readonly groups: readonly AutoScalingGroup[];
    readonly nodeRoleArns: readonly string[];
    readonly subnetIds: readonly string[];
  },
) {
  const launchTemplateIds = launchTemplatesOf(groups);
  const { name = "", arn = "", resourcesVpcConfig: network, accessConfig } = cluster;
  const [, partition, , region, account] = arn.split(":");
  const said = {
    name,
    region,
    account,
    partition,
    authenticationMode: accessConfig?.authenticationMode ?? "CONFIG_MAP",
    vpcId: network?.vpcId,
    subnetIds,
    securityGroupId: network?.clusterSecurityGroupId,
  };
  return {
    $schema: "./cluster.schema.json",
    cluster: said,
    groups: groups.map(({ AutoScalingGroupName: group = "" }) => group),
    ...(nodeRoleArns.length > 0 && { nodeRoleArns }),
    ...(launchTemplateIds.length > 0 && { launchTemplateIds }),
    drain: { mode: "dry-run" },
  };
}

/** True if a group is self-managed. EKS manages those of managed node groups. */
export const isSelfManaged = ({ Tags: tags = [] }: AutoScalingGroup): boolean =>
  !tags.some(({ Key: key }) => key === "eks:nodegroup-name");

/** The service that alone may change a group; empty without one. */
export const operatorOf = ({ Operator: operator }: AutoScalingGroup): string =>
  operator?.Principal ?? "";

/** Remarks about groups that belong to a service, so that nobody else can give them hooks. */
export const remarksOnOperated = (groups: readonly AutoScalingGroup[]): readonly string[] =>
  groups.map((group) => {
    const name = groupName(group.AutoScalingGroupName ?? "");
    return `${operatorText({ name, operator: operatorOf(group) })}: leave it out of "groups", because it gets no hooks`;
  });

/** Remarks about the network that the user has to check before the deployment. */
export function remarksOn({ resourcesVpcConfig: network }: Cluster): readonly string[] {
  if (network?.endpointPrivateAccess !== false) return [];
  const { publicAccessCidrs: admitted = [] } = network;
  const narrow = admitted.length > 0 && !admitted.some((range) => everybody.includes(range));
  return [
    "the API server has no private endpoint: the function reaches the public one through a NAT gateway of its subnets, and no other way",
    ...(narrow
      ? [
          `the public endpoint admits only ${admitted.join(", ")}: the NAT gateway's address has to be in there`,
        ]
      : []),
  ];
}

/** A remark if roles of nodes are missing. */
export const remarksOnRoles = (roles: NodeRoles, mode: AuthenticationMode): readonly string[] =>
  roles.kind === "unknown" ? [missingRoles(roles, mode)] : [];

/** Advice to let the stack give access to the roles, for whom a cluster's file can say that. */
export function adviceOnRoles(
  roles: NodeRoles,
  entered: readonly string[] | "unknown",
): readonly string[] {
  if (roles.kind === "unknown" || entered === "unknown" || roles.arns.length === 0) return [];
  return roles.arns.some((arn) => entered.includes(arn)) ? [] : [entriesByStack];
}

/** Remarks about groups that the file leaves out. */
export const remarksOnOthers = (groups: readonly AutoScalingGroup[]): readonly string[] =>
  groups.map(
    ({ AutoScalingGroupName: group }) =>
      `the file does not name ${group}: add it to "groups" and repeat this, if its nodes shall be looked after too`,
  );

function missingRoles({ why, found }: UnknownRoles, mode: AuthenticationMode): string {
  const beside = found.length === 0 ? "" : `, beside ${found.join(", ")}`;
  const or =
    mode === "CONFIG_MAP"
      ? "the function may map no others in aws-auth"
      : "or a deployment in which the function registers nodes is refused";
  return `${why}: name the roles of the nodes in "nodeRoleArns"${beside}; ${or}`;
}

// The deployment fails if an access entry exists already.
const entriesByStack =
  'none of these roles has an access entry: with "launch": { "access": "at deployment" } the stack makes them, as for Linux nodes, and the function may register none; once a role has an entry, EKS ignores what aws-auth says about it';

const everybody = ["0.0.0.0/0", "::/0"];
