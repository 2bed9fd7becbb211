import { describe, expect, it } from "vitest";
import { clusterFileOf, remarksOn } from "../../../cli/init/cluster-file-of.ts";
import { readClusterConfig } from "../../../lib/cluster-file/read-cluster-config.ts";
import { groupOf } from "./group-of.ts";

const subnetIds = ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"];
const cluster = {
  name: "demo",
  arn: "arn:aws-cn:eks:cn-north-1:123456789012:cluster/demo",
  resourcesVpcConfig: {
    vpcId: "vpc-0123456789abcdef0",
    subnetIds,
    clusterSecurityGroupId: "sg-0123456789abcdef0",
    endpointPrivateAccess: true,
  },
  accessConfig: { authenticationMode: "API_AND_CONFIG_MAP" as const },
};
const nodes = "arn:aws-cn:iam::123456789012:role/nodes";
const tag = (Key: string, Value: string) => ({ Key, Value });
const owned = tag("kubernetes.io/cluster/demo", "owned");
describe("a discovered cluster's file", () => {
  it("is one that can be deployed, in the cluster's own partition, Region and account", () => {
    const file = clusterFileOf(cluster, {
      groups: [groupOf("workers", owned)],
      nodeRoleArns: [nodes],
      subnetIds,
    });
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
      drain: { mode: "dry-run" },
    });
  });

  it("says CONFIG_MAP where EKS gives no authentication mode", () => {
    const { accessConfig: _, ...old } = cluster;
    expect(
      clusterFileOf(old, { groups: [], nodeRoleArns: [], subnetIds }).cluster.authenticationMode,
    ).toBe("CONFIG_MAP");
  });
});

describe("the advice about a cluster", () => {
  const remarks = (network: object) =>
    remarksOn({ ...cluster, resourcesVpcConfig: { ...cluster.resourcesVpcConfig, ...network } });
  const nat = expect.stringContaining("through a NAT gateway of its subnets") as string;

  it("is empty where the API server has a private endpoint", () => {
    expect(remarks({ publicAccessCidrs: ["192.0.2.0/24"] })).toEqual([]);
  });

  it("says how the function reaches a public endpoint", () => {
    expect(remarks({ endpointPrivateAccess: false, publicAccessCidrs: ["0.0.0.0/0"] })).toEqual([
      nat,
    ]);
  });

  it("says which addresses a public endpoint accepts", () => {
    const publicAccessCidrs = ["192.0.2.0/24", "198.51.100.7/32"];
    expect(remarks({ endpointPrivateAccess: false, publicAccessCidrs })).toEqual([
      nat,
      "the public endpoint admits only 192.0.2.0/24, 198.51.100.7/32: the NAT gateway's address has to be in there",
    ]);
  });
});
