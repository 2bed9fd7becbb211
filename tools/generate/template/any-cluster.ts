import { createHash } from "node:crypto";
import { App } from "aws-cdk-lib";
import { productName } from "../../../lambda/base/contract.ts";
import type { ClusterConfig } from "../../../lib/cluster-file/cluster-config-schema.ts";
import { readClusterConfig } from "../../../lib/cluster-file/read-cluster-config.ts";
import { NodeLifecycleStack } from "../../../lib/node-lifecycle-stack.ts";
import { regionKeyStack } from "../../../lib/region-key.ts";
import { archivesIn } from "./archive.ts";
import { checkedCode } from "./checked-code.ts";
import { declared, fieldAt } from "./declared.ts";
import { either, isMap, isSame, type Json, type JsonMap, refTo } from "./json.ts";
import { lifted } from "./lift.ts";
import { type Entries, merged, type TemplateParts } from "./merge.ts";
import { parameters } from "./parameters.ts";
import { synthesisedSchema } from "./template-schema.ts";

const all = Object.values(parameters).flat();
const placeholderOf = (wanted: string): string =>
  all.find(({ name }) => name === wanted)?.placeholder ?? "";

/** The switches of one of the files that the template is made of. */
interface Switched {
  readonly mode: ClusterConfig["cluster"]["authenticationMode"];
  readonly upgrades: "off" | "on";
  readonly repairs: "off" | "on";
  readonly webhook: "off" | "on";
  readonly named: "off" | "on";
  readonly tagged: "off" | "on";
}

/** The file of a cluster that every parameter has its placeholder in. It has to pass the same checks as any other file. */
function fileOf({ mode, upgrades, repairs, webhook, named, tagged }: Switched): ClusterConfig {
  const name = placeholderOf("ClusterName");
  const text = JSON.stringify({
    cluster: {
      name,
      region: "any-north-1",
      authenticationMode: mode,
      vpcId: placeholderOf("VpcId"),
      subnetIds: [placeholderOf("SubnetIds")],
      securityGroupId: placeholderOf("ClusterSecurityGroupId"),
    },
    ...(named === "on" && { groups: [placeholderOf("GroupNames")] }),
    ...(tagged === "on" && { groupTag: { key: `${productName}/cluster`, value: name } }),
    nodeRoleArns: [placeholderOf("NodeRoleArns")],
    launchTemplateIds: [placeholderOf("LaunchTemplateIds")],
    upgrades,
    repairs,
    ...settingsInFile(),
    alarms: { topicArns: [placeholderOf("AlarmTopicArns")] },
    ...(webhook === "on" && {
      webhook: { secretArn: placeholderOf("WebhookSecretArn"), format: "slack" },
    }),
  });
  return readClusterConfig(text, "the file of any cluster");
}

/** Each setting that is a parameter, as a file says it. */
export function settingsInFile(values: Readonly<Record<string, string>> = {}): JsonMap {
  const file: Record<string, Record<string, Json>> = {};
  for (const one of all.filter(({ kind }) => kind === "setting")) {
    const [part = "", field = ""] = one.path.split(".");
    const value = values[one.name] ?? one.placeholder;
    const isNumber = fieldAt(one.path).minimum !== undefined;
    file[part] = { ...file[part], [field]: isNumber ? Number(value) : value };
  }
  return file;
}

/** Makes the template of one file, by the same constructs as for a cluster. */
function partsOf(switched: Switched, outdir: string): TemplateParts {
  const context = { assetsBucket: placeholderOf("CodeBucketPrefix") };
  const app = new App({ context, outdir, treeMetadata: false });
  const config = { ...fileOf(switched), hooksMadeAs: "asked" } as const;
  const stack = new NodeLifecycleStack(app, "AnyCluster", config);
  const { template } = app.synth().getStackArtifact(stack.artifactId);
  return { Conditions: {}, ...synthesisedSchema.parse(template) };
}

/** One template for any cluster. CDK leaves the code of its functions in a folder. */
export function anyCluster(outdir: string): JsonMap {
  const own = byMode((switched) => partsOf(switched, outdir));
  const made = merged("WithRegionKey", withRegionKey(own), own);
  const { Resources, Outputs, Conditions } = made;
  const hashes = new Map(archivesIn(outdir).map(([name, its]) => [name, sha256Of(its)]));
  const told = withMode(Outputs);
  const called = checkedCode({ Resources: finished(Resources), Outputs: told }, hashes);
  const form = Object.entries(parameters);
  return {
    AWSTemplateFormatVersion: "2010-09-09",
    Description: "Drains and registers nodes of an EKS cluster, from outside the cluster",
    Metadata: {
      "AWS::CloudFormation::Interface": {
        ParameterGroups: form.map(([label, its]) => ({
          Label: { default: label },
          Parameters: its.map(({ name }) => name),
        })),
      },
    },
    Parameters: Object.fromEntries(all.map((one): [string, Json] => [one.name, declared(one)])),
    Rules: rules,
    Conditions: { ...conditions, ...Conditions },
    ...called,
  };
}

/** The mode in an output is a text, which a placeholder cannot tell from others. */
const withMode = ({ DrainMode, ...others }: Entries): JsonMap => ({
  ...mapped(others, lifted),
  DrainMode: { ...DrainMode, Value: refTo("DrainMode") },
});

/** The hash of an archive, as Lambda tells it. */
const sha256Of = (archive: Buffer): string => createHash("sha256").update(archive).digest("base64");

/** The same with the key of the Region in the place of its own. */
function withRegionKey({ Resources, ...others }: TemplateParts): TemplateParts {
  const [keyId = ""] =
    Object.entries(Resources).find(([, { Type }]) => Type === "AWS::KMS::Key") ?? [];
  const read = (value: Json): Json => {
    if (Array.isArray(value)) return value.filter((one) => one !== keyId).map(read);
    if (!isMap(value)) return value;
    if (isSame(value, { "Fn::GetAtt": [keyId, "Arn"] }))
      return { "Fn::ImportValue": regionKeyStack };
    return mapped(value, read);
  };
  const { [keyId]: _, ...kept } = Resources;
  return { ...others, Resources: mapped(kept, (one) => mapped(one, read)) };
}

const mapped = <Value, Made>(
  entries: Readonly<Record<string, Value>>,
  read: (value: Value) => Made,
): Readonly<Record<string, Made>> =>
  Object.fromEntries(Object.entries(entries).map(([key, one]) => [key, read(one)]));

const byMode = (make: (switched: Switched) => TemplateParts): TemplateParts => {
  const of = (mode: Switched["mode"]) =>
    onAndOff("WithUpgrades", (upgrades) =>
      onAndOff("WithRepairs", (repairs) =>
        onAndOff("WithWebhook", (webhook) =>
          byGroups((its) => make({ mode, upgrades, repairs, webhook, ...its })),
        ),
      ),
    );
  return merged(
    "WithEntries",
    merged("WithAwsAuth", of("API_AND_CONFIG_MAP"), of("API")),
    of("CONFIG_MAP"),
  );
};

const onAndOff = (condition: string, make: (value: "off" | "on") => TemplateParts): TemplateParts =>
  merged(condition, make("on"), make("off"));

function byGroups(
  make: (groups: Pick<Switched, "named" | "tagged">) => TemplateParts,
): TemplateParts {
  const named = make({ named: "on", tagged: "off" });
  const tagged = onAndOff("WithNames", (its) => make({ named: its, tagged: "on" }));
  return merged("WithTag", tagged, named);
}

const equals = (name: string, value: string): JsonMap => ({ "Fn::Equals": [refTo(name), value] });
const not = (one: JsonMap): JsonMap => ({ "Fn::Not": [one] });
const some = (name: string): JsonMap =>
  not({ "Fn::Equals": [{ "Fn::Join": ["", refTo(name)] }, ""] });
/** Of lists in rules, which know no Fn::Join. It is true of a list of nothing, and of one that has but an empty text. */
const nothingIn = (name: string): JsonMap => ({ "Fn::EachMemberEquals": [refTo(name), ""] });

const emptyIn = (name: string): JsonMap => ({ "Fn::Contains": [refTo(name), ""] });

const conditions: Entries = {
  WithEntries: not(equals("AuthenticationMode", "CONFIG_MAP")),
  WithAwsAuth: equals("AuthenticationMode", "API_AND_CONFIG_MAP"),
  WithUpgrades: equals("Upgrades", "on"),
  WithRepairs: equals("Repairs", "on"),
  WithWebhook: not(equals("Webhook", "off")),
  WithDashboard: equals("Dashboard", "on"),
  WithRegionKey: equals("EncryptionKey", "region"),
  WithTag: equals("GroupsByTag", "on"),
  WithNames: some("GroupNames"),
  HasAlarmTopicArns: some("AlarmTopicArns"),
};

const rule = (Assert: JsonMap, AssertDescription: string, RuleCondition?: JsonMap): JsonMap => ({
  ...(RuleCondition && { RuleCondition }),
  Assertions: [{ Assert, AssertDescription }],
});

/** The rules of a file's checks that the form of a single parameter cannot express. */
const rules: JsonMap = {
  KeptInstances: rule(
    equals("DrainForce", "never"),
    "ABANDON needs DrainForce of never",
    equals("DrainResultAtDeadline", "ABANDON"),
  ),
  DryRepairs: rule(
    { "Fn::Or": [equals("Repairs", "off"), equals("RepairMode", "dry-run")] },
    "With DrainMode of dry-run RepairMode has to be dry-run too, or set DrainMode to evict",
    equals("DrainMode", "dry-run"),
  ),
  SomeGroups: rule(
    { "Fn::Or": [equals("GroupsByTag", "on"), not(nothingIn("GroupNames"))] },
    "Name Auto Scaling groups in GroupNames, or set GroupsByTag to on",
  ),
  NamedRoles: rule(
    not(nothingIn("NodeRoleArns")),
    "Name the roles of the nodes in NodeRoleArns: no others may be registered in the cluster",
  ),
  UpgradedTemplates: rule(
    not(nothingIn("LaunchTemplateIds")),
    "Upgrades of on needs the groups' launch templates in LaunchTemplateIds, or set Upgrades to off",
    equals("Upgrades", "on"),
  ),
  ...Object.fromEntries(
    all
      .filter(({ kind, usual }) => kind === "list" && usual === "")
      .map(({ name }) => [
        `Whole${name}`,
        rule(
          { "Fn::Or": [nothingIn(name), not(emptyIn(name))] },
          `${name} has a comma too many: each comma has to stand between two items`,
        ),
      ]),
  ),
  WebhookWithSecret: rule(
    not(equals("WebhookSecretArn", "")),
    "Webhook needs the secret with its URL in WebhookSecretArn, or set Webhook to off",
    not(equals("Webhook", "off")),
  ),
};

/** Lifts the parameters, and brings conditions to where CloudFormation takes them. */
const finished = (resources: Entries): Entries =>
  Object.fromEntries(
    Object.entries(resources).map(([id, resource]): [string, JsonMap] => {
      const { DependsOn = [], ...its } = resource;
      const after = Array.isArray(DependsOn) ? DependsOn : [DependsOn];
      const always = after.filter((one) => typeof one === "string");
      const sometimes = after.filter((one) => typeof one !== "string").map(referring);
      return [
        id,
        {
          ...Object.fromEntries(Object.entries(its).map(([key, one]) => [key, lifted(one)])),
          ...(its["Type"] === "AWS::CloudWatch::Dashboard" && { Condition: "WithDashboard" }),
          ...(always.length > 0 && { DependsOn: always }),
          // DependsOn knows no conditions. A reference in the metadata is a dependency too.
          ...(sometimes.length > 0 && { Metadata: { DependsOn: sometimes } }),
        },
      ];
    }),
  );

/** The same value with references in the place of ids. */
function referring(value: Json): Json {
  if (typeof value === "string") return refTo(value);
  const [condition, on, off] =
    (isMap(value) && Array.isArray(value["Fn::If"]) && value["Fn::If"]) || [];
  if (typeof condition !== "string" || on === undefined || off === undefined) return value;
  return either(condition, referring(on), referring(off));
}
