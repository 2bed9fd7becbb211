import {
  type Cluster,
  CreateAccessEntry$,
  type CreateAccessEntryRequest,
  DescribeAccessEntry$,
  type DescribeAccessEntryRequest,
  DescribeCluster$,
  type DescribeClusterRequest,
  ListAccessEntries$,
  type ListAccessEntriesRequest,
  ListClusters$,
  type ListClustersRequest,
  type AccessEntry as WireEntry,
} from "@aws-sdk/client-eks";
import type { AccessEntries, AccessEntry } from "./access-entries.ts";
import { invalidRequest } from "./aws-error.ts";
import type { Eks, EksCluster } from "./eks.ts";
import { type Operation, operation } from "./operation.ts";
import { page } from "./page.ts";

/** Writes a cluster in the form in which DescribeCluster returns it. */
function wireCluster(cluster: EksCluster): Cluster {
  const { name, arn, version, endpoint, roleArn, status, createdAt } = cluster;
  return {
    name,
    arn,
    createdAt: new Date(createdAt),
    version,
    endpoint,
    roleArn,
    resourcesVpcConfig: {
      subnetIds: ["subnet-0a1b2c3d4e5f60718", "subnet-0b1c2d3e4f5061728"],
      securityGroupIds: [],
      clusterSecurityGroupId: "sg-0a1b2c3d4e5f60718",
      vpcId: "vpc-0a1b2c3d4e5f60718",
      endpointPublicAccess: cluster.endpointAccess !== "private",
      endpointPrivateAccess: cluster.endpointAccess !== "public",
      publicAccessCidrs: ["0.0.0.0/0"],
    },
    kubernetesNetworkConfig: { serviceIpv4Cidr: "10.100.0.0/16", ipFamily: "ipv4" },
    identity: { oidc: { issuer: `${endpoint}/id` } },
    status,
    certificateAuthority: {
      data: Buffer.from(cluster.certificateAuthority).toString("base64"),
    },
    platformVersion: "eks.1",
    tags: {},
    health: { issues: [] },
    accessConfig: { authenticationMode: cluster.authenticationMode },
  };
}

/** Writes an access entry in the form in which EKS returns it. */
function wireEntry(entry: AccessEntry, clusterName: string | undefined): WireEntry {
  const { principalArn, groups, arn, username, type, tags, createdAt, modifiedAt } = entry;
  return {
    clusterName,
    principalArn,
    kubernetesGroups: [...groups],
    accessEntryArn: arn,
    createdAt: new Date(createdAt),
    modifiedAt: new Date(modifiedAt),
    tags: { ...tags },
    username,
    type,
  };
}

function entriesOf(
  eks: Eks,
  { clusterName = "" }: { clusterName: string | undefined },
): AccessEntries {
  const { authenticationMode, entries } = eks.findCluster(clusterName);
  if (authenticationMode !== "CONFIG_MAP") return entries;
  throw invalidRequest(
    "The cluster's authentication mode must be set to one of [API, API_AND_CONFIG_MAP] to perform this operation.",
  );
}

function create(eks: Eks, request: CreateAccessEntryRequest) {
  const entry = entriesOf(eks, request).create({
    principalArn: request.principalArn ?? "",
    type: request.type ?? "STANDARD",
    username: request.username,
    groups: request.kubernetesGroups ?? [],
    tags: request.tags ?? {},
    clientToken: request.clientRequestToken ?? "",
  });
  return { accessEntry: wireEntry(entry, request.clusterName) };
}

/**
 * To create an entry, the caller needs permission for its type. For an entry for EC2 instances,
 * the caller also needs permission to pass the role to EC2.
 * @see https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazonelastickubernetesservice.html
 * @see https://servicereference.us-east-1.amazonaws.com/v1/eks/eks.json
 */
function toCreate(eks: Eks, request: CreateAccessEntryRequest) {
  const { clusterName = "", principalArn: resource = "", type = "STANDARD" } = request;
  const context = { "eks:accessEntryType": type, "eks:principalArn": resource };
  const own = { resource: eks.arnOf(clusterName), context };
  const passes = type === "EC2_LINUX" || type === "EC2_WINDOWS";
  return passes ? [own, { resource, ...passingToEc2 }] : [own];
}

/** The need of a call that hands a role to EC2, besides the role. */
export const passingToEc2 = {
  action: "iam:PassRole",
  context: { "iam:PassedToService": "ec2.amazonaws.com" },
} as const;

/**
 * The ARN of an entry for the permission check. A missing entry gets an ARN that ends in `*`, so that the
 * service and not the permission check reports it as missing.
 */
function entryArn(
  eks: Eks,
  { clusterName = "", principalArn = "" }: DescribeAccessEntryRequest,
): string {
  const entries: readonly AccessEntry[] = eks.findCluster(clusterName).entries.all();
  const entry = entries.find((other) => other.principalArn === principalArn);
  return entry?.arn ?? `${eks.arnOf(clusterName).replace(":cluster/", ":access-entry/")}/*`;
}

/** The operations of EKS that the sandbox supports. */
export const eksOperations = (eks: Eks): readonly Operation[] => [
  operation<DescribeClusterRequest>(
    "eks",
    DescribeCluster$,
    ({ name = "" }) => ({ cluster: wireCluster(eks.findCluster(name)) }),
    ({ name = "" }) => eks.arnOf(name),
  ),
  operation<CreateAccessEntryRequest>(
    "eks",
    CreateAccessEntry$,
    (request) => create(eks, request),
    (request) => toCreate(eks, request),
  ),
  operation<DescribeAccessEntryRequest>(
    "eks",
    DescribeAccessEntry$,
    (request) => {
      const entry = entriesOf(eks, request).find(request.principalArn ?? "");
      return { accessEntry: wireEntry(entry, request.clusterName) };
    },
    (request) => entryArn(eks, request),
  ),
  operation<ListAccessEntriesRequest>(
    "eks",
    ListAccessEntries$,
    ({ maxResults: size = 100, nextToken: token, ...request }) => {
      const all = entriesOf(eks, request).all();
      const { items, next } = page(all, { size, token });
      return { accessEntries: items.map(({ principalArn }) => principalArn), nextToken: next };
    },
    ({ clusterName = "" }) => eks.arnOf(clusterName),
  ),
  operation<ListClustersRequest>(
    "eks",
    ListClusters$,
    ({ maxResults: size = 100, nextToken: token }) => {
      const { items, next } = page(eks.clusterNames(), { size, token });
      return { clusters: items, nextToken: next };
    },
  ),
];
