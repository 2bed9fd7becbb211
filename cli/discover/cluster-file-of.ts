import type { AutoScalingGroup } from "@aws-sdk/client-auto-scaling";
import type { Cluster } from "@aws-sdk/client-eks";

/** The content of `clusters/NAME.json`, made from what EKS and Auto Scaling say about the cluster and its self-managed groups. */
export function clusterFileOf(
  cluster: Cluster,
  groups: readonly AutoScalingGroup[],
  nodeRoleArns: readonly string[],
) {
  const { name = "", arn = "", resourcesVpcConfig: network, accessConfig } = cluster;
  const [, partition, , region, account] = arn.split(":");
  const said = {
    name,
    region,
    account,
    partition,
    authenticationMode: accessConfig?.authenticationMode ?? "CONFIG_MAP",
    vpcId: network?.vpcId,
    subnetIds: network?.subnetIds ?? [],
    securityGroupId: network?.clusterSecurityGroupId,
  };
  return {
    $schema: "./cluster.schema.json",
    cluster: said,
    groups: groups.map(({ AutoScalingGroupName: group }) => group),
    ...(nodeRoleArns.length > 0 && { nodeRoleArns }),
  };
}

/** Whether a group is one to look after: EKS itself looks after those of managed node groups. */
export const isSelfManaged = ({ Tags: tags = [] }: AutoScalingGroup): boolean =>
  !tags.some(({ Key: key }) => key === "eks:nodegroup-name");

/** Remarks on what you have to take care of before you deploy, and what EKS does not point out. */
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

const everybody = ["0.0.0.0/0", "::/0"];
