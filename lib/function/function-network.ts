import {
  CfnSecurityGroupIngress,
  type IPeer,
  Peer,
  Port,
  SecurityGroup,
  type SubnetSelection,
  SubnetType,
} from "aws-cdk-lib/aws-ec2";
import { Construct } from "constructs";
import type { ClusterPlace, Surroundings } from "../cluster-place.ts";

/** The network that the functions run in. */
export interface FunctionNetworkProps {
  readonly cluster: ClusterPlace;
  /** @default the private subnets of the cluster's VPC */
  readonly subnets?: SubnetSelection;
  /** The DNS servers of a VPC that has its own. @default Amazon's, which need no rule */
  readonly dnsServers?: readonly IPeer[];
}

const https = Port.tcp(443);

/** A security group for the functions, which allows HTTPS and DNS out, and opens the cluster's API server to them. */
export class FunctionNetwork extends Construct {
  readonly surroundings: Surroundings;

  constructor(scope: Construct, id: string, props: FunctionNetworkProps) {
    super(scope, id);
    const { cluster, subnets, dnsServers = [] } = props;
    const securityGroup = new SecurityGroup(this, "SecurityGroup", {
      vpc: cluster.vpc,
      description: `Lifecycle functions of cluster ${cluster.clusterName}`,
      allowAllOutbound: false,
    });
    securityGroup.addEgressRule(Peer.anyIpv4(), https, "Kubernetes API and the APIs of AWS");
    securityGroup.addEgressRule(Peer.anyIpv6(), https, "Kubernetes API and the APIs of AWS");
    for (const server of dnsServers)
      for (const port of [Port.udp(53), Port.tcp(53)])
        securityGroup.addEgressRule(server, port, "DNS servers of the VPC");
    // A cluster's security group admits only its own members by default.
    new CfnSecurityGroupIngress(this, "ClusterIngress", {
      groupId: cluster.clusterSecurityGroup.securityGroupId,
      sourceSecurityGroupId: securityGroup.securityGroupId,
      ipProtocol: "tcp",
      fromPort: 443,
      toPort: 443,
      description: "Lifecycle functions",
    });
    this.surroundings = {
      cluster,
      securityGroup,
      subnets: subnets ?? { subnetType: SubnetType.PRIVATE_WITH_EGRESS },
    };
  }
}
