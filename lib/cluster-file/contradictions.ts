import { tryOtherAccess } from "../limits/assert-access.ts";
import { partitionOf } from "../partition-of.ts";
import type { ClusterConfig } from "./cluster-config-schema.ts";
import { type Contradiction, isIn } from "./contradiction.ts";
import { tagKey } from "./name-schema.ts";
import * as ownFields from "./own-fields.ts";
import { aboutReferences } from "./references.ts";
import { fileKeyOf, unnamedIn } from "./unnamed.ts";

/** The fields of a subject. */
interface OwnFields {
  contradictions(config: ClusterConfig): readonly Contradiction[];
}

/** Finds the values in a cluster's file that are well-formed, but contradict another value or a rule of AWS. */
export const contradictions = (config: ClusterConfig): readonly Contradiction[] => [
  ...aboutPartition(config),
  ...aboutGroups(config),
  ...aboutAccess(config),
  ...aboutRoles(config),
  ...aboutKey(config),
  ...aboutAlarms(config),
  ...Object.values<OwnFields>(ownFields).flatMap((one) => one.contradictions(config)),
  ...aboutSecurityGroups(config),
  ...aboutTags(config),
  ...aboutReferences(config),
];

function aboutPartition({ cluster: { partition, region } }: ClusterConfig): Contradiction[] {
  const actual = partitionOf(region);
  if (partition === undefined || partition === actual) return [];
  const expected = `${JSON.stringify(actual)}, the partition of ${region}`;
  return [{ path: ["cluster", "partition"], expected, got: partition }];
}

function aboutGroups({ groups, groupTag }: ClusterConfig): Contradiction[] {
  if (groups.length > 0 || groupTag !== undefined) return [];
  const expected = 'a list of Auto Scaling group names, such as ["workers"], or a groupTag';
  return [{ path: ["groups"], expected, got: undefined }];
}

function aboutAccess(config: ClusterConfig): Contradiction[] {
  const { cluster, launch, hooks, upgrades, nodeRoleArns, launchTemplateIds } = config;
  const { authenticationMode, name: clusterName } = cluster;
  const { access: got } = launch;
  const admission = { authenticationMode, access: got, launching: hooks.launching };
  const expected = tryOtherAccess(admission);
  if (expected !== undefined) return [{ path: ["launch", "access"], expected, got }];
  const named = { nodeRoles: nodeRoleArns, launchTemplates: launchTemplateIds };
  const unnamed = unnamedIn({ clusterName, admission, upgrades, ...named });
  return unnamed.map((one) => ({ path: [fileKeyOf(one)], ...one, got: undefined }));
}

function aboutRoles({ cluster, nodeRoleArns = [] }: ClusterConfig): Contradiction[] {
  const partition = partitionOf(cluster.region);
  return nodeRoleArns.flatMap((got, index) => {
    const [, theirs, , , account] = got.split(":");
    const path = ["nodeRoleArns", index];
    if (theirs !== partition) return [{ path, expected: `a role of partition ${partition}`, got }];
    if (cluster.account === undefined || account === cluster.account) return [];
    return [{ path, expected: `a role of the cluster's account, ${cluster.account}`, got }];
  });
}

function aboutKey({ cluster, encryptionKey, encryptionKeyArn: got }: ClusterConfig) {
  const path = ["encryptionKeyArn"];
  if (got === undefined) return [];
  if (encryptionKey === "region")
    return [{ path, expected: 'nothing where encryptionKey is "region"', got }];
  if (isIn(cluster.region, got)) return [];
  return [{ path, expected: `a key in ${cluster.region}, where the topic is`, got }];
}

function aboutAlarms({ cluster: { region }, alarms }: ClusterConfig): Contradiction[] {
  const expected = `a topic in ${region}, where the alarms are`;
  return alarms.topicArns.flatMap((got, index) =>
    isIn(region, got) ? [] : [{ path: ["alarms", "topicArns", index], expected, got }],
  );
}

function aboutSecurityGroups({ function: own, ...config }: ClusterConfig): Contradiction[] {
  if (own.securityGroupIds === undefined) return [];
  const expected = "nothing where function.securityGroupIds names the groups, which get no rules";
  return (["dnsServers", "httpsTo"] as const).flatMap((key) => {
    const { [key]: got = [] } = config;
    return got.length === 0 ? [] : [{ path: [key], expected, got }];
  });
}

/** @see https://docs.aws.amazon.com/tag-editor/latest/userguide/best-practices-and-strats.html */
function aboutTags({ tags }: ClusterConfig): Contradiction[] {
  const expected = "a key of 1 to 128 characters that does not begin with aws:";
  return Object.keys(tags)
    .filter((key) => !tagKey.test(key))
    .map((key) => ({ path: ["tags"], expected, got: key }));
}
