import { settingsInFile } from "../../../tools/generate/template/any-cluster.ts";
import type { Json, JsonMap } from "../../../tools/generate/template/json.ts";
import type { Values } from "./evaluated.ts";

/** A cluster as the template's parameters say it, and as its file does. */
export interface TwiceSaid {
  readonly about: string;
  readonly region: string;
  readonly values: Values;
  readonly file: JsonMap;
}

const roles = ["arn:aws:iam::123456789012:role/nodes", "arn:aws:iam::123456789012:role/gpu"];
const templates = ["lt-0123456789abcdef0", "lt-0123456789abcdef1"];
const topics = ["arn:aws:sns:eu-west-1:123456789012:pagers"];
const secretArn = "arn:aws:secretsmanager:eu-west-1:123456789012:secret:drains-a1B2c3";
const place = { VpcId: "vpc-0123456789abcdef0", ClusterSecurityGroupId: "sg-0123456789abcdef0" };
const subnets = ["subnet-0123456789abcdef0", "subnet-0123456789abcdef1"];

interface Wishes {
  readonly name: string;
  readonly mode: "API_AND_CONFIG_MAP" | "API" | "CONFIG_MAP";
  readonly region?: string;
  readonly groups?: readonly string[];
  readonly settings?: Values;
  readonly more?: Values;
  readonly file?: Readonly<Record<string, Json>>;
}

function said(about: string, wishes: Wishes): TwiceSaid {
  const { name, mode, region = "eu-west-1", groups = [], settings = {}, more, file } = wishes;
  const cluster = { name, region, authenticationMode: mode, vpcId: place.VpcId };
  return {
    about,
    region,
    values: {
      ...place,
      ClusterName: name,
      AuthenticationMode: mode,
      SubnetIds: subnets.join(","),
      ...(groups.length > 0 && { GroupNames: groups.join(",") }),
      NodeRoleArns: roles.join(","),
      CodeBucketPrefix: "code",
      ...settings,
      ...more,
    },
    file: {
      cluster: { ...cluster, subnetIds: subnets, securityGroupId: place.ClusterSecurityGroupId },
      ...(groups.length > 0 && { groups }),
      nodeRoleArns: roles,
      ...settingsInFile({ DrainMode: "dry-run", ...settings }),
      ...file,
    },
  };
}

const tag = { key: "eks-node-lifecycle/cluster", value: "tagged" };

/** Five clusters, which have every switch of the template on and off between them. */
export const fiveClusters: readonly TwiceSaid[] = [
  said("a small cluster", { name: "small", mode: "API", groups: ["workers"] }),
  said("a cluster with everything on", {
    name: "tagged",
    mode: "API_AND_CONFIG_MAP",
    groups: ["workers", "gpu workers"],
    settings: {
      DrainMode: "evict",
      DrainTimeoutSeconds: "3600",
      DrainForce: "never",
      DrainResultAtDeadline: "ABANDON",
      DrainTargetTimeoutSeconds: "0",
      LaunchTimeoutSeconds: "600",
      LaunchGate: "off",
      LaunchResultAtDeadline: "ABANDON",
      RepairAtOnce: "10%",
      RepairPerHour: "2",
    },
    more: {
      GroupsByTag: "on",
      Upgrades: "on",
      Repairs: "on",
      Dashboard: "on",
      LaunchTemplateIds: templates.join(","),
      AlarmTopicArns: topics.join(","),
      Webhook: "teams",
      WebhookSecretArn: secretArn,
    },
    file: {
      groupTag: tag,
      upgrades: "on",
      repairs: "on",
      launchTemplateIds: templates,
      alarms: { topicArns: topics },
      webhook: { secretArn, format: "teams" },
    },
  }),
  said("an old cluster with upgrades, no dashboard and the key of its Region", {
    name: "old_one",
    mode: "CONFIG_MAP",
    groups: ["a", "b", "c"],
    more: {
      Upgrades: "on",
      LaunchTemplateIds: templates.join(","),
      Dashboard: "off",
      EncryptionKey: "region",
    },
    file: {
      upgrades: "on",
      launchTemplateIds: templates,
      dashboard: "off",
      encryptionKey: "region",
    },
  }),
  said("a cluster whose groups have a tag, in another Region", {
    name: "tagged",
    mode: "API",
    region: "us-east-2",
    settings: { RepairMode: "dry-run" },
    more: { GroupsByTag: "on", Repairs: "on" },
    file: { groupTag: tag, repairs: "on" },
  }),
  said("a cluster that tells Slack", {
    name: "told",
    mode: "API_AND_CONFIG_MAP",
    groups: ["workers"],
    settings: { RepairMostIll: "5" },
    more: { Webhook: "slack", WebhookSecretArn: secretArn },
    file: { webhook: { secretArn, format: "slack" } },
  }),
];
