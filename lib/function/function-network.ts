import {
  CfnSecurityGroupIngress,
  type ISecurityGroup,
  Peer,
  Port,
  SecurityGroup,
  SubnetType,
} from "aws-cdk-lib/aws-ec2";
import { Construct } from "constructs";
import type { FunctionPlace } from "../cluster-place.ts";
import type { NodeLifecycleProps } from "../node-lifecycle-props.ts";
import { Refusal } from "../refusal.ts";
import { letOut } from "./security-rules.ts";

type NetworkProps = Pick<
  NodeLifecycleProps,
  "cluster" | "dnsServers" | "httpsTo" | "securityGroups" | "subnets"
>;

const https = Port.tcp(443);
const anywhere = [Peer.anyIpv4(), Peer.anyIpv6()];

/** The functions' place in the cluster's network: their subnets, and their security groups. */
export class FunctionNetwork extends Construct {
  readonly surroundings: FunctionPlace;

  constructor(scope: Construct, id: string, props: NetworkProps) {
    super(scope, id);
    const { cluster, subnets = { subnetType: SubnetType.PRIVATE_WITH_EGRESS } } = props;
    const given = givenGroups(props);
    const securityGroups = given.length > 0 ? [...given] : [this.#securityGroup(props)];
    this.surroundings = { cluster, securityGroups, subnets };
  }

  /** A security group that allows HTTPS and DNS out, and that the cluster's security group admits to the API server. */
  #securityGroup(props: NetworkProps): SecurityGroup {
    const { cluster, httpsTo = anywhere, dnsServers = [] } = props;
    const securityGroup = new SecurityGroup(this, "SecurityGroup", {
      vpc: cluster.vpc,
      description: `Lifecycle functions of cluster ${cluster.clusterName}`,
      allowAllOutbound: false,
    });
    const description = "Kubernetes API and the APIs of AWS";
    for (const peer of httpsTo) letOut(securityGroup, { peer, port: https, description });
    for (const peer of dnsServers)
      for (const port of [Port.udp(53), Port.tcp(53)])
        letOut(securityGroup, { peer, port, description: "DNS servers of the VPC" });
    // A cluster's security group admits only its own members by default.
    new CfnSecurityGroupIngress(this, "ClusterIngress", {
      groupId: cluster.clusterSecurityGroup.securityGroupId,
      sourceSecurityGroupId: securityGroup.securityGroupId,
      ipProtocol: "tcp",
      fromPort: 443,
      toPort: 443,
      description: "Lifecycle functions",
    });
    return securityGroup;
  }
}

const most = 5; // https://docs.aws.amazon.com/lambda/latest/api/API_VpcConfig.html

function givenGroups({
  securityGroups: given = [],
  httpsTo = [],
  dnsServers = [],
}: NetworkProps): readonly ISecurityGroup[] {
  if (given.length > most)
    throw new Refusal(`a function has ${most} security groups at most, not ${given.length}`);
  if (given.length > 0 && dnsServers.length + httpsTo.length > 0)
    throw new Refusal(
      "dnsServers and httpsTo add rules to a security group that the functions do not get if securityGroups names others; rules for ports 53 and 443 in one of those, and neither of the two, will do",
    );
  return given;
}
