import { Annotations, Stack } from "aws-cdk-lib";
import {
  InterfaceVpcEndpoint,
  InterfaceVpcEndpointAwsService,
  type IPeer,
  type IVpc,
  Peer,
  Port,
  SecurityGroup,
} from "aws-cdk-lib/aws-ec2";
import { AnyPrincipal, PolicyStatement } from "aws-cdk-lib/aws-iam";
import { Construct } from "constructs";
import type { FunctionPlace } from "../cluster-place.ts";
import { letIn } from "./security-rules.ts";

/**
 * The APIs that the functions call, by the names in a configuration. SSM is only for images that a parameter names, zonal
 * shifts are only for upgrades and repairs, and X-Ray is for traces.
 */
const services = {
  // See https://docs.aws.amazon.com/r53recovery/latest/dg/vpc-interface-endpoints.html
  "arc-zonal-shift": new InterfaceVpcEndpointAwsService("arc-zonal-shift"),
  autoscaling: InterfaceVpcEndpointAwsService.AUTOSCALING,
  ec2: InterfaceVpcEndpointAwsService.EC2,
  eks: InterfaceVpcEndpointAwsService.EKS,
  elasticloadbalancing: InterfaceVpcEndpointAwsService.ELASTIC_LOAD_BALANCING,
  sqs: InterfaceVpcEndpointAwsService.SQS,
  ssm: InterfaceVpcEndpointAwsService.SSM,
  xray: InterfaceVpcEndpointAwsService.XRAY,
} as const;

/** An API for which the construct can make an endpoint. */
export type PrivateService = keyof typeof services;

/** The endpoints to create, and who may use them. */
export interface PrivateEndpointsProps extends FunctionPlace {
  readonly services: readonly PrivateService[];
  /** Who is admitted besides the functions and the cluster's security group. @default the VPC, if its CIDR block is known */
  readonly admit?: readonly IPeer[];
}

/** Interface endpoints to the APIs of AWS, for a VPC that cannot reach them otherwise. */
export class PrivateEndpoints extends Construct {
  constructor(scope: Construct, id: string, props: PrivateEndpointsProps) {
    super(scope, id);
    const { cluster, securityGroups, subnets, admit = addressesOf(cluster.vpc) } = props;
    const own = new SecurityGroup(this, "SecurityGroup", {
      vpc: cluster.vpc,
      description: `Endpoints for the lifecycle functions of cluster ${cluster.clusterName}`,
      allowAllOutbound: false,
    });
    const port = Port.tcp(443);
    for (const peer of securityGroups)
      letIn(own, { peer, port, description: "Lifecycle functions" });
    // With private DNS, the calls of the whole VPC arrive here, including those of the nodes.
    letIn(own, { peer: cluster.clusterSecurityGroup, port, description: "Nodes of the cluster" });
    for (const peer of admit)
      letIn(own, { peer, port, description: "Whoever else has private DNS" });
    for (const name of props.services) {
      const endpoint = new InterfaceVpcEndpoint(this, name, {
        vpc: cluster.vpc,
        subnets,
        service: services[name],
        securityGroups: [own],
        privateDnsEnabled: true,
        open: false,
      });
      endpoint.addToPolicy(ofThisAccount(this));
    }
  }
}

/** Refuses credentials of another account, with which data could leave the VPC. */
const ofThisAccount = (scope: Construct): PolicyStatement =>
  new PolicyStatement({
    principals: [new AnyPrincipal()],
    actions: ["*"],
    resources: ["*"],
    conditions: { StringEquals: { "aws:PrincipalAccount": Stack.of(scope).account } },
  });

/** The CIDR block of a VPC; none for an imported VPC whose CIDR block is unknown. */
function addressesOf(vpc: IVpc): readonly IPeer[] {
  try {
    return [Peer.ipv4(vpc.vpcCidrBlock)];
  } catch {
    return []; // CDK offers no check that does not throw
  }
}

/** Warns that the function asks IAM for the role of each launching instance, and that a VPC may have no way to IAM. */
export function warnOfIam(scope: Construct): void {
  Annotations.of(scope).addWarningV2(
    "eks-node-lifecycle:iamEndpoint",
    'launches are held, and for each the function asks IAM, which has no endpoint in most Regions; if the VPC has no other way to IAM, the function registers no role: a node whose role nobody else has registered does not join, and its instance waits out its timeout; register the roles yourself, or with "access": "at deployment" in launch',
  );
}
