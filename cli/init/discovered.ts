import {
  AutoScalingClient,
  type AutoScalingGroup,
  type DescribeAutoScalingGroupsCommandInput,
  paginateDescribeAutoScalingGroups,
} from "@aws-sdk/client-auto-scaling";
import {
  type AuthenticationMode,
  DescribeClusterCommand,
  EKSClient,
  paginateListAccessEntries,
} from "@aws-sdk/client-eks";
import { awsFault } from "../../lambda/aws/aws-fault.ts";
import { type AwsAccess, allOf } from "../connect/aws-access.ts";
import { failureBy, type Remedies } from "../remedies.ts";
import {
  adviceOnRoles,
  clusterFileOf,
  isSelfManaged,
  operatorOf,
  remarksOn,
  remarksOnOperated,
  remarksOnOthers,
  remarksOnRoles,
} from "./cluster-file-of.ts";
import type { GivenFile } from "./given-file-schema.ts";
import { nodeRolesOf } from "./node-roles.ts";
import { privateSubnetsOf } from "./private-subnets.ts";

/** Makes a cluster's file from what the account says, with remarks, and advice that only a cluster's file can follow. */
export async function discovered(name: string, aws: AwsAccess, given: GivenFile = {}) {
  const named = given.groups ?? (given.groupTag === undefined ? undefined : []);
  const { cluster, groups } = await asked(name, aws, named).catch((cause: unknown) => {
    throw failureBy(awsFault(`discovering cluster ${name}`, cause), remedies);
  });
  const own = groups.filter(isSelfManaged);
  const isNamed = ({ AutoScalingGroupName: group = "" }: AutoScalingGroup) =>
    named === undefined || named.includes(group);
  const operated = own.filter((group) => operatorOf(group) !== "");
  const chosen = own.filter((group) => isNamed(group) && !operated.includes(group));
  const roles = await nodeRolesOf(chosen, aws);
  const { resourcesVpcConfig: network = {} } = cluster;
  const subnets = await privateSubnetsOf(network, given.cluster?.subnetIds, aws);
  const nodeRoleArns = roles.kind === "known" ? roles.arns : [];
  const file = clusterFileOf(cluster, {
    groups: chosen,
    nodeRoleArns,
    subnetIds: subnets.subnetIds,
  });
  const { authenticationMode } = file.cluster;
  const entered = await enteredRoles(name, authenticationMode, aws);
  const about = remarksOnRoles(roles, authenticationMode);
  const leftOut =
    given.groupTag === undefined
      ? own.filter((group) => !isNamed(group) && !operated.includes(group))
      : [];
  return {
    file,
    remarks: [
      ...remarksOn(cluster),
      ...subnets.remarks,
      ...about,
      ...remarksOnOthers(leftOut),
      ...remarksOnOperated(operated),
    ],
    advice: adviceOnRoles(roles, entered),
  };
}

/** The principals that have access entries; `unknown` if the cluster has none, or the user may not list them. */
async function enteredRoles(clusterName: string, mode: AuthenticationMode, aws: AwsAccess) {
  if (mode === "CONFIG_MAP") return "unknown";
  const pages = paginateListAccessEntries({ client: new EKSClient(aws) }, { clusterName });
  return allOf(pages, ({ accessEntries }) => accessEntries).catch((cause: unknown) => {
    const fault = awsFault(`listing the access entries of cluster ${clusterName}`, cause);
    if (fault.code === "aws.denied") return "unknown" as const;
    throw failureBy(fault);
  });
}

const remedies: Remedies = {
  "aws.denied":
    "sign in with a role that may call eks:DescribeCluster and autoscaling:DescribeAutoScalingGroups (aws sso login, AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY)",
  "aws.refused": "name a cluster of this account and Region (--profile, --region)",
};

/** Reads the cluster, the groups with its tag, and the groups that are named. */
async function asked(name: string, aws: AwsAccess, named: readonly string[] = []) {
  const { cluster = {} } = await new EKSClient(aws).send(new DescribeClusterCommand({ name }));
  const client = new AutoScalingClient(aws);
  const described = (wanted: DescribeAutoScalingGroupsCommandInput) =>
    allOf(paginateDescribeAutoScalingGroups({ client }, wanted), (page) => page.AutoScalingGroups);
  const tagged = await described({
    Filters: [{ Name: "tag-key", Values: [`kubernetes.io/cluster/${name}`] }],
  });
  const found = tagged.map(({ AutoScalingGroupName: group }) => group);
  const missing = named.filter((group) => !found.includes(group));
  if (missing.length === 0) return { cluster, groups: tagged };
  const others = await described({ AutoScalingGroupNames: missing, MaxRecords: mostNames });
  return { cluster, groups: [...tagged, ...others] };
}

// The largest page that Auto Scaling returns.
const mostNames = 100;
