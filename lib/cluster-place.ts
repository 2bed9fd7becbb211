import type { ISecurityGroup, IVpc, SubnetSelection } from "aws-cdk-lib/aws-ec2";

/** What the constructs need to know about a cluster; an `ICluster` of CDK fits. */
export interface ClusterPlace {
  readonly clusterName: string;
  readonly vpc: IVpc;
  readonly clusterSecurityGroup: ISecurityGroup;
}

/** The place of a function in a cluster's network. */
export interface FunctionPlace {
  readonly cluster: ClusterPlace;
  /** Subnets from which the function reaches the API server and the APIs of AWS. */
  readonly subnets: SubnetSelection;
  readonly securityGroups: ISecurityGroup[];
}

/** Where the clusters of an account and Region are. */
export interface RegionAt {
  readonly region: string;
  /** @default that of whoever deploys */
  readonly account?: string | undefined;
}
