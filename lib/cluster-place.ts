import type { ISecurityGroup, IVpc, SubnetSelection } from "aws-cdk-lib/aws-ec2";

/** What the constructs need to know about a cluster; a cluster made by CDK fits. */
export interface ClusterPlace {
  readonly clusterName: string;
  readonly vpc: IVpc;
  readonly clusterSecurityGroup: ISecurityGroup;
}

/** The place of a function in a cluster's network. */
export interface Surroundings {
  readonly cluster: ClusterPlace;
  /** Subnets from which the function reaches the API server and the APIs of AWS. */
  readonly subnets: SubnetSelection;
  readonly securityGroup: ISecurityGroup;
}
