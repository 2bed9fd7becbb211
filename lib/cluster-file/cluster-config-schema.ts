import * as z from "zod";
import { eventSettings, hookSettings } from "../../lambda/config/settings.ts";
import { authenticationModes } from "../../lambda/domain/launch/access.ts";
import { filled, list, oneOf, onOrOff, part, unique, whole } from "./field-schema.ts";
import {
  account,
  addresses,
  clusterName,
  groupName,
  hookName,
  keyArn,
  launchTemplateId,
  peer,
  region,
  roleArn,
  secretArn,
  securityGroupId,
  subnetId,
  topicArn,
  vpcId,
} from "./name-schema.ts";
import { fieldsOf } from "./settings-schema.ts";
import { drain, launch, repair, reports } from "./work-schema.ts";

const subnets = "a list of the ids of private subnets, 16 at most";
const groups = 'a list of Auto Scaling group names, such as ["workers"]';

const cluster = part({
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

const events = part({
  spotInterruption: onOrOff("The two minutes' warning of a Spot instance."),
  rebalanceRecommendation: onOrOff("The advice that a Spot instance may be interrupted."),
  scheduledChange: onOrOff("Scheduled changes of EC2 that AWS Health tells of."),
  stateChange: onOrOff("Instances that somebody stops or terminates by hand."),
  ...fieldsOf(eventSettings),
});

const queue = part({
  visibilitySeconds: whole(1, 43_200).default(130),
  receives: whole(1, 1000).default(80),
});

const retentions = [
  ...[1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827],
  ...[2192, 2557, 2922, 3288, 3653],
];
const kept = `days as CloudWatch Logs has them: ${retentions.join(", ")}`;
const ownGroups = "a list of the ids of security groups, 5 at most";
const lambda = part({
  memoryMegabytes: whole(256, 10_240).default(512),
  concurrency: whole(2, 1000)
    .default(10)
    .describe("How many batches of ten notices may be in work at the same time."),
  reservedConcurrency: whole(2, 1000)
    .optional()
    .describe(
      "How many invocations Lambda keeps free for the function, which never has more; at least `concurrency`.",
    ),
  logRetentionDays: z
    .literal(retentions, kept)
    .default(30)
    .describe("How long all logs of the stack are kept."),
  architecture: oneOf("arm64", "x86_64").default("arm64"),
  tracing: onOrOff("Whether X-Ray traces the function's invocations.").default("off"),
  securityGroupIds: list(securityGroupId("the id of a security group"), ownGroups)
    .max(5, ownGroups) // Lambda takes no more
    .optional()
    .describe(
      "Security groups for the functions, to which no rule is added; without it, one is made.",
    ),
});

const alarms = part({
  deadLetters: onOrOff("A notice lies in the dead letters."),
  waitingNotices: onOrOff("Notices wait for longer than ten minutes before they are looked at."),
  functionErrors: onOrOff("An invocation of the function ends in a crash or a timeout."),
  functionThrottles: onOrOff(
    "Lambda refuses invocations of the function for a quarter of an hour.",
  ),
  faults: onOrOff("The function meets faults for a quarter of an hour."),
  expiredDrains: onOrOff("A node was not empty at the deadline of its drain."),
  failedLaunches: onOrOff("The node of a launched instance was not ready in time."),
  lateHeartbeats: onOrOff("A hook has gone without a heartbeat for three quarters of its timeout."),
  lostNews: onOrOff("The webhook was not told of a drain, where there is a webhook."),
  failedUpgrades: onOrOff("The upgrade of a group has failed, where there are upgrades."),
  heldRepairs: onOrOff(
    "Repairs have been held for an hour by a brake, by faults or by late messages, where there are repairs.",
  ),
  topicArns: unique(topicArn, "a list of the ARNs of topics")
    .max(5, "five topics at most") // an alarm takes no more actions
    .default([])
    .describe("The topics that are told when an alarm goes off."),
});

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

const webhook = part({
  secretArn: secretArn.describe(
    "The secret that has the URL: as its text, or in the field `url` of its JSON.",
  ),
  keyArn: keyArn
    .optional()
    .describe("The key that encrypts the secret; without it, that of Secrets Manager."),
  format: oneOf("slack", "teams", "json").describe(
    "The form of a message; teams is for a webhook of Workflows.",
  ),
  template: z
    .unknown()
    .optional()
    .describe("For json: the message, with placeholders such as {{title}} in its texts."),
});

const tagValue = z.string("text").max(256, "text of at most 256 characters");

/** The file of one cluster, which says what `npx cdk deploy -c cluster=NAME` deploys. */
export const clusterConfigSchema = part({
  $schema: z.string().optional(),
  cluster,
  groups: list(groupName, groups)
    .default([])
    .describe("The groups whose instances are touched; no others, but those with the groupTag."),
  groupTag: part({ key: filled("the key of a tag"), value: tagValue })
    .optional()
    .describe(
      "Every group that has this tag is looked after too; whoever may set it may have nodes drained.",
    ),
  drain: drain.prefault({}),
  launch: launch.prefault({}),
  nodeRoleArns: list(roleArn, "a list of the ARNs of the nodes' roles")
    .optional()
    .describe(
      "The roles of the groups' instances, which may be let in; without it, any role of the account.",
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
  repair: repair.prefault({}),
  launchTemplateIds: list(launchTemplateId, "a list of the ids of launch templates")
    .optional()
    .describe(
      "The launch templates of the groups, which upgrades may use and add versions to; without it, any of the account.",
    ),
  hooks: hooks.prefault({}),
  events: events.prefault({}),
  reports: reports.prefault({}),
  queue: queue.prefault({}),
  function: lambda.prefault({}),
  alarms: alarms.prefault({}),
  webhook: webhook
    .optional()
    .describe(
      "Who is told of a drain's start, of its first block and of its end; without it, nobody.",
    ),
  dashboard: onOrOff("A dashboard of CloudWatch."),
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
  encryptionKeyArn: keyArn
    .optional()
    .describe(
      "Encrypts the topic; its policy must let the role of the hooks use it, or leave that to IAM. Without it, a key of its own.",
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
