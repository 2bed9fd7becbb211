import { App, Lazy, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, it } from "vitest";
import { readClusterConfig } from "../../lib/cluster-file/read-cluster-config.ts";
import type { NodeLifecycleProps } from "../../lib/node-lifecycle-props.ts";
import { NodeLifecycleStack, type StackConfig } from "../../lib/node-lifecycle-stack.ts";
import { everythingOn } from "./everything-on.ts";
import { ownStack } from "./own-stack.ts";
import { resourcesOf, sample, synthesised } from "./synthesised.ts";

const { groupTag: _, ...byName } = everythingOn;

/** Synthesises a stack as `bin/app.ts` does, and gives what stops it. */
function refusalOf(change: Partial<StackConfig>): string {
  const app = new App();
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  try {
    new NodeLifecycleStack(app, "Sample", { ...sample, ...byName, ...change });
    app.synth();
    return "";
  } catch (cause) {
    return String(cause);
  }
}

/** What stops the construct in an app of somebody else. */
function ownRefusalOf(change: Partial<NodeLifecycleProps>): string {
  try {
    ownStack((_, { cluster }) => ({
      ...change,
      ...(change.cluster && { cluster: { ...cluster, clusterName: change.cluster.clusterName } }),
    }));
    return "";
  } catch (cause) {
    return String(cause);
  }
}

const longest = "a b".padEnd(255, "c");

const made: readonly string[] = [
  "AutoScaling 2",
  "two  blanks",
  "a/b",
  "/a",
  "a\\b",
  "it's",
  'a"b',
  "50%",
  "a$b",
  "$",
  "a[1]",
  "a]b[c",
  "a(b)",
  "a)",
  "{a}",
  "}{",
  "<a&b>",
  "a=b+c_d.e-f",
  "a@b|c~d!e^f`g#;,",
  "x".repeat(255),
  longest,
];

describe("the name of a group", () => {
  it.each(made)("may be %j, with everything on", (name) => {
    expect(refusalOf({ groups: [name] })).toBe("");
    expect(readClusterConfig(textWith([name]), "demo.json").groups).toEqual([name]);
  });

  it("may differ from another by a character that ids cannot have", () => {
    expect(refusalOf({ groups: ["a b", "a-b", "a/b", "a.b", "ab", "a  b", "A b"] })).toBe("");
  });

  it.each([
    " a",
    "a ",
    "",
    "a:b",
    "a*",
    "a?",
    "a\u{10}b",
    ["$", "{aws:username}"].join(""),
    "gruppe-ä",
    "組",
    "a\tb",
    "a\nb",
    "x".repeat(256),
  ])("may not be %j, and the refusal names it and its place", (name) => {
    const place = /demo\.json.*groups\.0/s;
    expect(() => readClusterConfig(textWith([name]), "demo.json")).toThrow(place);
    expect(refusalOf({ groups: [name] })).toContain(JSON.stringify(name));
  });
});

const textWith = (groups: readonly string[]): string => fileWith({ groups });

const fileWith = (change: object): string =>
  JSON.stringify({
    cluster: sample.cluster,
    groups: ["workers"],
    nodeRoleArns: sample.nodeRoleArns,
    ...change,
  });

const readsWith = (change: object) => () => readClusterConfig(fileWith(change), "demo.json");

/** What no role, hook, key, secret, topic, launch template or cluster is called. */
const odd: readonly string[] = [
  "",
  " a",
  "a b",
  "a:b",
  "a*",
  "a?",
  "a[b]",
  "a(b)",
  "{a}",
  "it's",
  'a"b',
  "a\\b",
  "a&b",
  "a\nb",
  "a\u{10}b",
  ["a$", "{aws:username}"].join(""),
  "gruppe-ä",
  "組",
];

describe.each(["terminateName", "launchName"])("the %s of hooks", (key) => {
  it.each(["a", "-", "/", "a/b", "_a-B/0", "x".repeat(255)])("may be %j", (name) => {
    expect(readsWith({ hooks: { [key]: name } })().hooks).toMatchObject({ [key]: name });
    expect(refusalOf({ hooks: { ...sample.hooks, [key]: name } })).toBe("");
  });

  it.each([...odd, "a.b", "a+b", "x".repeat(256)])(
    "may not be %j, and the refusal names it and its place",
    (name) => {
      expect(readsWith({ hooks: { [key]: name } })).toThrow(
        new RegExp(`demo\\.json.*hooks\\.${key}`, "s"),
      );
      const refusal = ownRefusalOf({ hooks: { [key]: name } });
      expect(refusal).toContain(`hooks.${key}`);
      expect(refusal).toContain(JSON.stringify(name));
    },
  );
});

const { region } = sample.cluster;
const arnOf = (service: string, its: string) => `arn:aws:${service}:${region}:123456789012:${its}`;
const role = (name: string) => `arn:aws:iam::123456789012:role/${name}`;
const topic = (name: string) => arnOf("sns", name);
const secret = (name: string) => arnOf("secretsmanager", `secret:${name}-a1B2c3`);
const key = (name: string) => arnOf("kms", `key/${name}`);
const long = "x".repeat(255);
// A name has 64 characters at most, and the path before it 512 with the slashes at its ends.
const roles = ["a/b", "a+=,.@-_b", "x".repeat(64), `${"p/".repeat(255)}x`];
const noRoles = ["a/", "/a", "a//b", "x".repeat(65), `${"p/".repeat(256)}x`];

describe.each([
  ["nodeRoleArns.0", role, (arn: string) => ({ nodeRoleArns: [arn] }), roles, noRoles],
  ["roleArn", role, (arn: string) => ({ roleArn: arn }), roles, noRoles],
  [
    "alarms.topicArns.0",
    topic,
    (arn: string) => ({ alarms: { topicArns: [arn] } }),
    ["a-_B", long],
    ["a/b"],
  ],
  ["encryptionKeyArn", key, (arn: string) => ({ encryptionKeyArn: arn }), ["mrk-0", long], ["a/b"]],
  [
    "webhook.secretArn",
    secret,
    (secretArn: string) => ({ webhook: { format: "slack", secretArn } }),
    ["a/b", "a+=.@-_b", long],
    ["a,b"],
  ],
  [
    "webhook.keyArn",
    key,
    (keyArn: string) => ({ webhook: { format: "slack", secretArn: secret("a"), keyArn } }),
    ["mrk-0", long],
    ["a/b"],
  ],
] as const)("the ARN at %s", (place, arn, at, some, others) => {
  it.each(["a", ...some])("may end with %j", (name) => {
    const read = readsWith(at(arn(name)))();
    expect(JSON.stringify(read)).toContain(arn(name));
    const { cluster, ...change } = read;
    expect(cluster).toEqual(sample.cluster);
    expect(refusalOf(change)).toBe("");
  });

  it.each([...odd, ...others])("may not end with %j, and the refusal names its place", (name) => {
    const names = new RegExp(`demo\\.json.*${place.replaceAll(".", "\\.")}`, "s");
    expect(readsWith(at(arn(name)))).toThrow(names);
  });
});

describe("in an own app", () => {
  it.each(odd)("no role of nodes may end with %j, and the refusal names it", (name) => {
    const nodeRoles = [role("nodes"), role(name)];
    expect(ownRefusalOf({ nodeRoles })).toContain(`nodeRoles[1] is ${JSON.stringify(role(name))}`);
  });

  it.each(odd)("no launch template may be called %j, and the refusal names it", (name) => {
    const launchTemplates = [name];
    const refusal = ownRefusalOf({ upgrades: "on", launchTemplates });
    expect(refusal).toContain(`launchTemplates[0] is ${JSON.stringify(name)}`);
  });

  it("a name may be known only when it is deployed", () => {
    const token = Lazy.string({ produce: () => "a b" });
    const hooks = { terminateName: token };
    expect(ownRefusalOf({ nodeRoles: [token], launchTemplates: [token], hooks })).toBe("");
  });
});

describe("the name of a cluster, which stands in the namespace of its metrics,", () => {
  it.each(["cluster", "0-cluster_B", "x".repeat(100)])(
    "may be %j, and no dimension has it",
    (name) => {
      const cluster = { ...sample.cluster, name };
      expect(readsWith({ cluster })().cluster).toEqual(cluster);
      expect(refusalOf({ cluster })).toBe("");
      const resources = resourcesOf(synthesised({ ...byName, cluster }));
      for (const { Type, Properties } of Object.values(resources)) {
        if (Type !== "AWS::CloudWatch::Alarm") continue;
        const { Dimensions = [], Namespace = "" } = Properties;
        expect(JSON.stringify(Dimensions)).not.toContain(name);
        expect(Namespace).toMatch(/^[\w/-]{0,255}$/);
      }
    },
  );

  it.each([...odd, "a.b", "a/b", "-a", "_a", "x".repeat(101)])(
    "may not be %j, and the refusal names it and its place",
    (name) => {
      expect(readsWith({ cluster: { ...sample.cluster, name } })).toThrow(
        /demo\.json.*cluster\.name/s,
      );
      const cluster = { clusterName: name } as NodeLifecycleProps["cluster"];
      const refusal = ownRefusalOf({ cluster });
      expect(refusal).toContain(`cluster.clusterName is ${JSON.stringify(name)}`);
    },
  );
});

it.each(["a b", "a/b", "it's", "a[b]", "{a}", "a.b@c:d", "tägs", "k".repeat(128)])(
  "a tag of groups may be %j",
  (key) => {
    expect(refusalOf({ groups: [], groupTag: { key, value: key } })).toBe("");
  },
);
