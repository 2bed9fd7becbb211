import type { AutoScalingGroup } from "@aws-sdk/client-auto-scaling";
import type { Cluster } from "@aws-sdk/client-eks";
import { CommandFailure } from "./command-failure.ts";

/** What `clusters/NAME.json` says of a cluster, from what EKS and Auto Scaling say of it. */
export function clusterFileOf(cluster: Cluster, groups: readonly AutoScalingGroup[]) {
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
  if (network?.endpointPrivateAccess === false)
    throw new CommandFailure(
      `discovering cluster ${name}: its API server has no private endpoint, which the function needs`,
      `aws eks update-cluster-config --name ${name} --resources-vpc-config endpointPrivateAccess=true`,
    );
  return {
    $schema: "./cluster.schema.json",
    cluster: said,
    groups: groups.filter(isSelfManaged).map(({ AutoScalingGroupName: group }) => group),
  };
}

/** EKS looks after the groups of managed node groups itself. */
const isSelfManaged = ({ Tags: tags = [] }: AutoScalingGroup): boolean =>
  !tags.some(({ Key: key }) => key === "eks:nodegroup-name");
