import type { ISecurityGroup, IVpc, SubnetSelection } from "aws-cdk-lib/aws-ec2";

/** The facts about a cluster that the constructs need. An `ICluster` of CDK has all of it. */
export interface ClusterPlace {
  readonly clusterName: string;
  readonly vpc: IVpc;
  readonly clusterSecurityGroup: ISecurityGroup;
}

/** Where a function runs: its subnets and security groups. */
export interface FunctionPlace {
  readonly cluster: ClusterPlace;
  /** Subnets from which the function reaches the API server and the APIs of AWS. */
  readonly subnets: SubnetSelection;
  readonly securityGroups: ISecurityGroup[];
}

/** An account and Region with clusters. */
export interface RegionAt {
  readonly region: string;
  /** @default that of the deploying user */
  readonly account?: string | undefined;
}
