import * as z from "zod";
import { eventSettings, hookSettings, nodeSettings } from "../../lambda/config/settings.ts";
import { authenticationModes } from "../../lambda/launch/node-mapping.ts";
import { merged, mergedBy } from "../merged.ts";
import { filled, list, oneOf, onOrOff, part, unique, whole } from "./field-schema.ts";
import {
  account,
  addresses,
  clusterName,
  groupName,
  groupTagKey,
  hookName,
  keyArn,
  launchTemplateId,
  peer,
  region,
  roleArn,
  securityGroupId,
  subnetId,
  vpcId,
} from "./name-schema.ts";
import { alarms, lambda } from "./operation-schema.ts";
import * as ownFields from "./own-fields.ts";
import { ownParts } from "./own-settings.ts";
import { fieldsOf } from "./settings-schema.ts";

const subnets = "a list of the ids of private subnets, 16 at most";

/** The part of a cluster's file that says which cluster it is, and where it stands. */
const cluster = part({
  name: clusterName,
  region,
  account: account
    .optional()
    .describe("The account to deploy to; without it, that of the deploying user."),
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

/** The part of a cluster's file that says which hooks the groups have. */
const hooks = part({
  terminateName: hookName.default("Terminate-LC-Hook"),
  launchName: hookName.default("Launch-LC-Hook"),
  launching: oneOf("held", "not held")
    .default("held")
    .describe("Whether launching instances are held until their node is ready."),
  heartbeatSeconds: fieldsOf(hookSettings).heartbeatSeconds.describe(
    "At least 267 where the queue's visibility timeout is the usual one.",
  ),
});

/** The part of a cluster's file that says of which events the function hears. */
const events = part({
  spotInterruption: onOrOff("The two minutes' warning of a Spot instance."),
  capacityReservationInterruption: onOrOff(
    "The two minutes' warning of an instance in an interruptible Capacity Reservation or a Capacity Block.",
  ),
  capacityBlock: onOrOff(
    "The end of a Capacity Block: 40 minutes before it, and when the block begins.",
  ),
  rebalanceRecommendation: onOrOff("The advice that a Spot instance may be interrupted."),
  scheduledChange: onOrOff("Scheduled changes of EC2 that AWS Health tells of."),
  stateChange: onOrOff("Instances that somebody stops or terminates by hand."),
  ...fieldsOf(eventSettings),
});

/** The part of a cluster's file that says how the queue keeps notices. */
const queue = part({
  visibilitySeconds: whole(1, 43_200).default(130),
  receives: whole(1, 1000).default(80),
});

/** The part of a cluster's file that says how nodes are drained. */
const drain = part(fieldsOf(nodeSettings.drain)).describe(
  "How nodes are drained; what is left out keeps its default.",
);

/** The part of a cluster's file that says how instances are launched. */
const launch = part(fieldsOf(nodeSettings.launch)).describe(
  "How instances are launched; what is left out keeps its default.",
);

/** The part of a cluster's file that says what the function tells besides its log. */
const reports = part(fieldsOf(nodeSettings.reports)).describe(
  "What the function tells besides its log; what is left out keeps its default.",
);

const groups = 'a list of Auto Scaling group names, such as ["workers"]';

const endpoints = unique(
  oneOf(
    "arc-zonal-shift",
    "autoscaling",
    "ec2",
    "eks",
    "elasticloadbalancing",
    "sqs",
    "ssm",
    "xray",
  ),
  "a list of services",
)
  .default([])
  .describe("The interface endpoints that a VPC without a way out still lacks.");

const tagValue = z.string("text").max(256, "text of at most 256 characters");

/** The file of one cluster, which says what `npx cdk deploy -c cluster=NAME` deploys. */
export const clusterConfigSchema = part({
  $schema: z.string().optional(),
  cluster,
  wave: filled("the name of a wave, such as canary")
    .optional()
    .describe("The clusters of one wave are deployed together, with -c wave=NAME."),
  profile: filled("the name of a profile")
    .optional()
    .describe(
      "The profile of the AWS CLI by which `status --all` and `doctor --all` reach the cluster.",
    ),
  roleArn: roleArn
    .optional()
    .describe("The role that these commands take to reach it, with that profile or without."),
  groups: list(groupName, groups)
    .default([])
    .describe("The groups whose instances are touched; no others, but those with the groupTag."),
  groupTag: part({ key: groupTagKey, value: tagValue })
    .optional()
    .describe(
      "Every group that has this tag is looked after too; anyone who may set it may have nodes drained.",
    ),
  drain: drain.prefault({}),
  launch: launch.prefault({}),
  nodeRoleArns: list(roleArn, "a list of the ARNs of the nodes' roles")
    .optional()
    .describe(
      "The roles of the groups' instances, the only ones that may be registered. Needed where the function or the stack registers nodes, and with upgrades.",
    ),
  rights: oneOf("at deployment", "by hand")
    .default("at deployment")
    .describe(
      "Who applies the function's rights in the cluster: the stack, or its owner with `manifests` and kubectl.",
    ),
  apiPriority: oneOf("own", "shared")
    .default("shared")
    .describe(
      "Whether the API server keeps a priority level for the function, or gives it that of all others.",
    ),
  upgrades: oneOf("on", "off")
    .default("off")
    .describe("Whether groups can be upgraded, by a function of its own; docs/upgrade.md."),
  repairs: oneOf("on", "off")
    .default("off")
    .describe(
      "Whether ill nodes and instances without a node are replaced or rebooted, by a function of its own; docs/repair.md.",
    ),
  ...merged(ownParts.map(({ fields }) => fields)),
  launchTemplateIds: list(launchTemplateId, "a list of the ids of launch templates")
    .optional()
    .describe(
      "The launch templates of the groups, which upgrades may use and add versions to, and need.",
    ),
  launchTemplateVersions: oneOf("given", "made")
    .default("given")
    .describe(
      "Whether upgrades may make versions of these with another image, for --ami and --ssm, or take those that people have made. A version can have any instance profile of the account.",
    ),
  hooks: hooks.prefault({}),
  events: events.prefault({}),
  reports: reports.prefault({}),
  queue: queue.prefault({}),
  function: lambda.prefault({}),
  alarms: alarms.prefault({}),
  ...mergedBy(ownFields, "fields"),
  dashboard: oneOf("on", "off", "region")
    .default("on")
    .describe(
      "A dashboard of CloudWatch: of the cluster's own, or one for all clusters of its account and Region.",
    ),
  savedQueries: onOrOff("Saved queries of CloudWatch Logs Insights."),
  privateEndpoints: endpoints,
  privateEndpointsAdmit: unique(peer, "a list of ranges of addresses and security groups")
    .default([])
    .describe("Who uses these endpoints besides the functions and the cluster's security group."),
  httpsTo: list(peer, "a list of ranges of addresses and security groups")
    .optional()
    .describe(
      "Where the functions may go by HTTPS: to the API server and the APIs of AWS; without it, anywhere.",
    ),
  dnsServers: unique(addresses, "a list of IP addresses")
    .default([])
    .describe("The DNS servers of a VPC that does not use Amazon's own."),
  encryptionKey: oneOf("own", "region")
    .default("own")
    .describe("The key that encrypts the topic: its own, or one for its account and Region."),
  encryptionKeyArn: keyArn
    .optional()
    .describe(
      "A key in the place of both; its policy must let the role of the hooks use it, or leave that to IAM.",
    ),
  tags: z.record(z.string(), tagValue).default({}),
});

/** The file of one cluster, after it was read. */
export type ClusterConfig = z.infer<typeof clusterConfigSchema>;

/** The JSON Schema by which editors check a cluster's file. `npm run generate` writes it to `clusters/cluster.schema.json`. */
export const clusterConfigJsonSchema = (): object =>
  z.toJSONSchema(clusterConfigSchema, { io: "input", target: "draft-07" });

const parts = z.object({ properties: z.record(z.string(), z.unknown()) });

/** The keys that a file may have at a place. */
export function keysAt(path: readonly PropertyKey[]): readonly string[] {
  const part = path.reduce<unknown>(
    (at, step) => parts.safeParse(at).data?.properties[String(step)],
    clusterConfigJsonSchema(),
  );
  return Object.keys(parts.safeParse(part).data?.properties ?? {});
}
