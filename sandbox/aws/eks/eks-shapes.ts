import type { Cluster, AccessEntry as WireEntry } from "@aws-sdk/client-eks";
import type { AccessEntry } from "./access-entry.ts";
import type { EksCluster } from "./eks.ts";

/** Writes a cluster in the form in which DescribeCluster returns it. */
export function wireCluster(cluster: EksCluster): Cluster {
  const { name, arn, version, endpoint, roleArn, status, createdAt } = cluster;
  return {
    name,
    arn,
    createdAt: new Date(createdAt),
    version,
    endpoint,
    roleArn,
    resourcesVpcConfig: {
      subnetIds: ["subnet-0a1b2c3d4e5f60718", "subnet-0b1c2d3e4f5061728"],
      securityGroupIds: [],
      clusterSecurityGroupId: "sg-0a1b2c3d4e5f60718",
      vpcId: "vpc-0a1b2c3d4e5f60718",
      endpointPublicAccess: cluster.endpointAccess !== "private",
      endpointPrivateAccess: cluster.endpointAccess !== "public",
      publicAccessCidrs: ["0.0.0.0/0"],
    },
    kubernetesNetworkConfig: { serviceIpv4Cidr: "10.100.0.0/16", ipFamily: "ipv4" },
    identity: { oidc: { issuer: `${endpoint}/id` } },
    status,
    certificateAuthority: {
      data: Buffer.from(cluster.certificateAuthority).toString("base64"),
    },
    platformVersion: "eks.1",
    tags: {},
    health: { issues: [] },
    accessConfig: { authenticationMode: cluster.authenticationMode },
  };
}

/** Writes an access entry in the form in which EKS returns it. */
export function wireEntry(entry: AccessEntry, clusterName: string | undefined): WireEntry {
  const { principalArn, groups, arn, username, type, tags, createdAt, modifiedAt } = entry;
  return {
    clusterName,
    principalArn,
    kubernetesGroups: [...groups],
    accessEntryArn: arn,
    createdAt: new Date(createdAt),
    modifiedAt: new Date(modifiedAt),
    tags: { ...tags },
    username,
    type,
  };
}
