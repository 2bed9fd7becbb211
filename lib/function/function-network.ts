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

/** Where the functions are to be. */
export interface FunctionNetworkProps {
  readonly cluster: ClusterPlace;
  /** @default the private subnets of the cluster's VPC */
  readonly subnets?: SubnetSelection;
  /** The VPC's DNS servers, where they are its own. @default none but Amazon's, which need no rule */
  readonly dnsServers?: readonly IPeer[];
}

const https = Port.tcp(443);

/** A way from the functions to the cluster's API server, and to nothing else but HTTPS and DNS. */
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
    // By itself a cluster's security group lets in only its own members.
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
