import { describe, expect, it } from "vitest";
import { clusterFileOf } from "../../cli/cluster-file-of.ts";
import { readClusterConfig } from "../../lib/cluster-config-schema.ts";

const cluster = {
  name: "demo",
  arn: "arn:aws-cn:eks:cn-north-1:123456789012:cluster/demo",
  resourcesVpcConfig: {
    vpcId: "vpc-0123456789abcdef0",
    subnetIds: ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"],
    clusterSecurityGroupId: "sg-0123456789abcdef0",
    endpointPrivateAccess: true,
  },
  accessConfig: { authenticationMode: "API_AND_CONFIG_MAP" as const },
};
const tag = (Key: string, Value: string) => ({ Key, Value });
const owned = tag("kubernetes.io/cluster/demo", "owned");
const group = (name: string, ...Tags: { Key: string; Value: string }[]) => ({
  AutoScalingGroupName: name,
  MinSize: 0,
  MaxSize: 1,
  DesiredCapacity: 1,
  DefaultCooldown: 0,
  AvailabilityZones: [],
  HealthCheckType: "EC2",
  CreatedTime: new Date(0),
  Tags,
});

describe("a discovered cluster's file", () => {
  it("is one that can be deployed, in the cluster's own partition, Region and account", () => {
    const file = clusterFileOf(cluster, [group("workers", owned)]);
    expect(readClusterConfig(JSON.stringify(file), "demo.json")).toMatchObject({
      cluster: {
        name: "demo",
        partition: "aws-cn",
        region: "cn-north-1",
        account: "123456789012",
        authenticationMode: "API_AND_CONFIG_MAP",
        vpcId: "vpc-0123456789abcdef0",
        securityGroupId: "sg-0123456789abcdef0",
      },
      groups: ["workers"],
    });
  });

  it("leaves out the groups of managed node groups", () => {
    const managed = group("eks-ng", owned, tag("eks:nodegroup-name", "ng"));
    expect(clusterFileOf(cluster, [managed, group("gpu", owned)]).groups).toEqual(["gpu"]);
  });

  it("is CONFIG_MAP where EKS says nothing of how callers are let in", () => {
    const { accessConfig: _, ...old } = cluster;
    expect(clusterFileOf(old, []).cluster.authenticationMode).toBe("CONFIG_MAP");
  });

  it("is refused for a cluster without a private endpoint", () => {
    const resourcesVpcConfig = { ...cluster.resourcesVpcConfig, endpointPrivateAccess: false };
    expect(() => clusterFileOf({ ...cluster, resourcesVpcConfig }, [])).toThrow(
      "its API server has no private endpoint",
    );
  });
});
