import type { ISecurityGroup, IVpc, SubnetSelection } from "aws-cdk-lib/aws-ec2";

/** A cluster as far as it matters here; a cluster of CDK is one. */
export interface ClusterPlace {
  readonly clusterName: string;
  readonly vpc: IVpc;
  readonly clusterSecurityGroup: ISecurityGroup;
}

/** Where in a cluster's network a function lies. */
export interface Surroundings {
  readonly cluster: ClusterPlace;
  /** Subnets from which the API server and the APIs of AWS can be reached. */
  readonly subnets: SubnetSelection;
  readonly securityGroup: ISecurityGroup;
}
