import * as z from "zod";
import { Refusal } from "./refusal.ts";

const filled = (what: string) => z.string(what).min(1, what);
const whole = (least: number, most: number) => {
  const what = `a whole number from ${least} to ${most}`;
  return z.int(what).min(least, what).max(most, what);
};
const matching = (form: RegExp, what: string) => z.string(what).regex(form, what);
const oneOf = <const Words extends readonly [string, ...string[]]>(...words: Words) =>
  z.enum(words, words.map((one) => JSON.stringify(one)).join(" or "));
const onOrOff = (what: string) => oneOf("on", "off").default("on").describe(what);
const list = <T extends z.ZodType>(of: T, what: string) => z.array(of, what).min(1, what);
const part = <T extends z.ZodRawShape>(shape: T) => z.strictObject(shape);

const subnet = matching(
  /^subnet-[0-9a-f]+$/,
  "the id of a subnet, such as subnet-0123456789abcdef0",
);
const subnets = "a list of the ids of private subnets";
const groups = 'a list of Auto Scaling group names, such as ["workers"]';

const cluster = part({
  name: filled("the name of the EKS cluster"),
  region: matching(/^[a-z]{2,4}(-[a-z]+)+-\d$/, "the name of a region, such as eu-west-1"),
  account: matching(/^\d{12}$/, "the twelve digits of an AWS account")
    .optional()
    .describe("The account to deploy to; without it, that of whoever deploys."),
  partition: filled("a partition, such as aws").default("aws"),
  authenticationMode: oneOf("API", "API_AND_CONFIG_MAP", "CONFIG_MAP").describe(
    "How the cluster lets callers in: accessConfig.authenticationMode of DescribeCluster.",
  ),
  vpcId: matching(/^vpc-[0-9a-f]+$/, "the id of a VPC, such as vpc-0123456789abcdef0"),
  subnetIds: list(subnet, subnets).describe(
    "Where the functions are: subnets from which the API server and the APIs of AWS can be reached.",
  ),
  securityGroupId: matching(
    /^sg-[0-9a-f]+$/,
    "the id of the cluster's security group, such as sg-0123456789abcdef0",
  ),
});

const drain = part({
  timeoutSeconds: whole(30, 172_800).optional(),
  force: oneOf("at-deadline", "never").optional(),
  tiers: oneOf("critical-last", "none").optional(),
  tierPercent: whole(0, 100).optional(),
  settleSeconds: whole(0, 120).optional(),
  protectedBy: z
    .array(oneOf("karpenter.sh/do-not-disrupt", "cluster-autoscaler.kubernetes.io/safe-to-evict"))
    .optional(),
  volumeTimeoutSeconds: whole(0, 3600).optional(),
  concurrency: whole(1, 100).optional(),
  taint: filled("a taint such as example.com/draining=true:NoSchedule").optional(),
  daemonSets: oneOf("leave", "evict").optional(),
  mode: oneOf("evict", "cordon-only").optional(),
}).describe("How nodes are drained; what is left out keeps its default.");

const launch = part({
  timeoutSeconds: whole(30, 172_800).optional(),
  gate: oneOf("on", "off").optional(),
  startupTaints: z.array(filled("the key of a taint")).optional(),
  atDeadline: oneOf("CONTINUE", "ABANDON").optional(),
  access: oneOf("auto", "aws-auth", "access-entry").optional(),
}).describe("How instances are launched; what is left out keeps its default.");

const nodeRole = matching(/^arn:[^:]+:iam::\d{12}:role\//, "the ARN of a role");
const hookName = matching(/^[\w/-]{1,255}$/, "the name of a lifecycle hook");
const hooks = part({
  terminateName: hookName.default("Terminate-LC-Hook"),
  launchName: hookName.default("Launch-LC-Hook"),
  launching: oneOf("held", "not held")
    .default("held")
    .describe("Whether launching instances are held until their node is ready."),
  heartbeatSeconds: whole(30, 7200)
    .optional()
    .describe("At least 300 where the queue's visibility timeout is the usual one."),
});

const events = part({
  spotInterruption: onOrOff("The two minutes' warning of a Spot instance."),
  rebalanceRecommendation: onOrOff("The advice that a Spot instance may be interrupted."),
  scheduledChange: onOrOff("Scheduled changes of EC2 that AWS Health tells of."),
  stateChange: onOrOff("Instances that somebody stops or terminates by hand."),
});

const queue = part({
  visibilitySeconds: whole(1, 43_200).default(130),
  receives: whole(1, 1000).default(1000),
});

const retentions = [1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731, 1096, 1827];
const kept = `days as CloudWatch Logs has them: ${retentions.join(", ")}`;
const lambda = part({
  memoryMegabytes: whole(256, 10_240).default(512),
  concurrency: whole(2, 1000)
    .default(10)
    .describe("How many batches of ten notices may be in work at the same time."),
  logRetentionDays: z
    .int(kept)
    .refine((days) => retentions.includes(days), kept)
    .default(30),
});

const endpoints = z
  .array(oneOf("autoscaling", "ec2", "eks", "sqs"))
  .default([])
  .describe("The interface endpoints that a VPC without a way out still lacks.");

/** What `npx cdk deploy -c cluster=NAME` deploys for one cluster. */
export const clusterConfigSchema = part({
  $schema: z.string().optional(),
  cluster,
  groups: list(filled(groups), groups).describe("The only groups whose instances are touched."),
  drain: drain.prefault({}),
  launch: launch.prefault({}),
  nodeRoleArns: list(nodeRole, "a list of the ARNs of the nodes' roles")
    .optional()
    .describe(
      "The roles of the groups' instances, which may be let in; without it, any role of the account.",
    ),
  hooks: hooks.prefault({}),
  events: events.prefault({}),
  queue: queue.prefault({}),
  function: lambda.prefault({}),
  privateEndpoints: endpoints,
  encryptionKeyArn: matching(/^arn:[^:]+:kms:/, "the ARN of a KMS key")
    .optional()
    .describe(
      "Encrypts the topic; its policy must let EventBridge use it. Without it, a key of its own.",
    ),
  tags: z.record(z.string(), z.string("text")).default({}),
});

/** What is deployed for one cluster. */
export type ClusterConfig = z.infer<typeof clusterConfigSchema>;

/** Reads a cluster's configuration; the refusal names every place that does not fit, and what would. */
export function readClusterConfig(text: string, file: string): ClusterConfig {
  const result = clusterConfigSchema.safeParse(json(text, file), { reportInput: true });
  if (result.success) return result.data;
  const wrongs = result.error.issues.map(told);
  throw new Refusal(`${file} does not fit:\n${wrongs.map((wrong) => `  ${wrong}`).join("\n")}`);
}

function told(issue: z.core.$ZodIssue): string {
  const place = issue.path.length === 0 ? "the file" : issue.path.join(".");
  if (issue.code === "unrecognized_keys")
    return `${place}: there is no ${issue.keys.map((key) => `"${key}"`).join(", ")}`;
  const got = issue.input === undefined ? "nothing" : JSON.stringify(issue.input);
  return `${place}: expected ${issue.message}, got ${got}`;
}

function json(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Refusal(`${file} is not JSON: ${why}`, { cause });
  }
}

/** The schema for editors, as `clusters/cluster.schema.json` has it. */
export const clusterConfigJsonSchema = (): object =>
  z.toJSONSchema(clusterConfigSchema, { io: "input", target: "draft-07" });
