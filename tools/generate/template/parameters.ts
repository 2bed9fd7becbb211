import { productName } from "../../../lambda/base/contract.ts";
import { textOf } from "../../../lambda/config/form.ts";
import type { Setting } from "../../../lambda/config/setting.ts";
import { allSettings } from "../../../lib/cluster-file/all-settings.ts";
import { fieldName } from "../../../lib/cluster-file/field-name.ts";
import { managedNodeGroup } from "../../../lib/cluster-file/name-schema.ts";
import { meaningIn } from "../doc-comments.ts";
import { settingComments } from "../setting-comments.ts";

/** A regular expression, and what the text is that matches it. */
export interface TextForm {
  readonly pattern: string;
  readonly what: string;
}

/** A parameter of the template: what it is in a cluster's file, and what stands for it in the files that the template is made of. */
export interface Parameter {
  readonly name: string;
  /** Its place in a cluster's file. */
  readonly path: string;
  /** A text or a list stands wherever its placeholder stands; a setting is a variable of functions; a switch has a condition. */
  readonly kind: "list" | "setting" | "switch" | "text";
  readonly placeholder: string;
  /** @default it has to be given */
  readonly usual?: string;
  readonly type?: string;
  readonly words?: readonly string[];
  readonly says?: string;
  /** @default as the schema of clusters' files has it */
  readonly form?: TextForm;
  /** The further pattern that its items must not match. @default nothing */
  readonly barred?: TextForm;
  /** The key in the environment of functions. */
  readonly key?: string;
}

const row =
  (kind: Parameter["kind"]) =>
  (name: string, path: string, more: Partial<Parameter> = {}): Parameter => ({
    kind,
    name,
    path,
    placeholder: "",
    ...more,
  });
const [one, many, choice] = [row("text"), row("list"), row("switch")];

/** The parts of the template's form, in their order. */
export const parameters: Readonly<Record<string, readonly Parameter[]>> = {
  Cluster: [
    one("ClusterName", "cluster.name", {
      placeholder: "any-cluster",
      says: "The name of the EKS cluster.",
    }),
    choice("AuthenticationMode", "cluster.authenticationMode"),
    one("VpcId", "cluster.vpcId", {
      placeholder: "vpc-0000000a",
      type: "AWS::EC2::VPC::Id",
      says: "The VPC of the cluster.",
    }),
    many("SubnetIds", "cluster.subnetIds", {
      placeholder: "subnet-0000000a",
      type: "List<AWS::EC2::Subnet::Id>",
    }),
    one("ClusterSecurityGroupId", "cluster.securityGroupId", {
      placeholder: "sg-0000000a",
      type: "AWS::EC2::SecurityGroup::Id",
      says: "The cluster's own security group: clusterSecurityGroupId of DescribeCluster.",
    }),
  ],
  Groups: [
    many("GroupNames", "groups", {
      placeholder: "any-group",
      usual: "",
      says: "The Auto Scaling groups to look after, which get hooks; 60 at most, 10 with upgrades or repairs, and more by the tag.",
      // They stand in a text of JSON; and hooks of EKS must not be overwritten.
      barred: {
        pattern: `.*["\\\\]|${managedNodeGroup.source.slice(1)}`,
        what: "no quotation mark, no backslash, no group of a managed node group",
      },
    }),
    choice("GroupsByTag", "groupTag", {
      words: ["off", "on"],
      usual: "off",
      says: `Whether every group is looked after too whose tag ${productName}/cluster is the name of the cluster; outputs have the commands that give it hooks.`,
    }),
    many("NodeRoleArns", "nodeRoleArns", {
      placeholder: "arn:aws:iam::000000000000:role/any",
      says: "The roles of the groups' instances, the only ones that may be registered in the cluster.",
    }),
  ],
  Drains: settings({
    DrainTimeoutSeconds: "drain.timeout",
    DrainMode: ["drain.mode", "dry-run"],
    DrainForce: "drain.force",
    DrainResultAtDeadline: "drain.atDeadline",
    DrainTargetTimeoutSeconds: "drain.targetTimeout",
    LaunchTimeoutSeconds: "launch.timeout",
    LaunchGate: "launch.gate",
    LaunchResultAtDeadline: "launch.atDeadline",
  }),
  Upgrades: [
    choice("Upgrades", "upgrades", { usual: "off" }),
    many("LaunchTemplateIds", "launchTemplateIds", { placeholder: "lt-0000000a", usual: "" }),
  ],
  Repairs: [
    choice("Repairs", "repairs", { usual: "off" }),
    ...settings({
      RepairMode: "repair.mode",
      RepairAtOnce: "repair.atOnce",
      RepairMostIll: "repair.mostIll",
      RepairPerHour: "repair.perHour",
    }),
  ],
  Watching: [
    choice("Dashboard", "dashboard", {
      words: ["on", "off"],
      usual: "on",
      says: "A dashboard of CloudWatch for this cluster.",
    }),
    many("AlarmTopicArns", "alarms.topicArns", {
      placeholder: "arn:aws:sns:any-north-1:000000000000:any",
      usual: "",
    }),
    choice("Webhook", "webhook.format", {
      words: ["off", "slack", "teams", "json"],
      usual: "off",
      says: "The form of the messages to a webhook, which is told of drains.",
    }),
    one("WebhookSecretArn", "webhook.secretArn", {
      placeholder: "arn:aws:secretsmanager:any-north-1:000000000000:secret:any-a1B2c3",
      usual: "",
    }),
  ],
  "Code and key": [
    choice("EncryptionKey", "encryptionKey", { usual: "own" }),
    one("CodeBucketPrefix", "", {
      placeholder: "any-bucket",
      says: "The functions' code is in the bucket that is named so, with a dash and the Region after it.",
      form: {
        pattern: "^[\\da-z](?:[\\d.a-z-]{0,46}[\\da-z])?$", // the rest of 63 is for the Region
        what: "the beginning of a bucket's name: small letters, digits, dots and dashes, 48 at most",
      },
    }),
  ],
};

/** A setting's place, or that and a default of the template which is not the setting's own. */
type SettingPlace = string | readonly [at: string, usual: string];

function settings(named: Readonly<Record<string, SettingPlace>>): readonly Parameter[] {
  const comments = settingComments();
  return Object.entries(named).map(([name, place]) => {
    const [at, instead] = typeof place === "string" ? [place] : place;
    const [part = "", setting = ""] = at.split(".");
    const table: Readonly<Record<string, Readonly<Record<string, Setting>>>> = allSettings;
    const { key, form, default: own } = table[part]?.[setting] ?? never(at);
    const path = `${part}.${fieldName(setting, form)}`;
    const placeholder = textOf(own);
    const usual = instead ?? placeholder;
    const says = `${meaningIn(comments.get(key) ?? never(key))}.`;
    const sentence = says.charAt(0).toUpperCase() + says.slice(1);
    return { kind: "setting", name, path, placeholder, key, usual, says: sentence };
  });
}

function never(what: string): never {
  throw new Error(`there is no ${what}`);
}
