import { authenticationModes } from "../../lambda/launch/access.ts";
import { filled, list, oneOf, part } from "./field-schema.ts";
import { account, clusterName, region, securityGroupId, subnetId, vpcId } from "./name-schema.ts";

const subnets = "a list of the ids of private subnets, 16 at most";

/** The part of a cluster's file that says which cluster it is, and where it stands. */
export const cluster = part({
  name: clusterName,
  region,
  account: account
    .optional()
    .describe("The account to deploy to; without it, that of whoever deploys."),
  partition: filled("a partition, such as aws")
    .optional()
    .describe("The partition of the Region, which is also the default."),
  authenticationMode: oneOf(...authenticationModes).describe(
    "How the cluster lets callers in: accessConfig.authenticationMode of DescribeCluster.",
  ),
  vpcId,
  subnetIds: list(subnetId, subnets)
    .max(16, subnets) // Lambda takes no more
    .describe(
      "Where the functions are: subnets from which the API server and the APIs of AWS can be reached.",
    ),
  securityGroupId: securityGroupId("the id of the cluster's security group"),
});
