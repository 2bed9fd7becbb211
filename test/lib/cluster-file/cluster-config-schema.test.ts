import { readFileSync } from "node:fs";
import { RetentionDays } from "aws-cdk-lib/aws-logs";
import { RegionInfo } from "aws-cdk-lib/region-info";
import { describe, expect, it } from "vitest";
import { clusterConfigJsonSchema } from "../../../lib/cluster-file/cluster-config-schema.ts";
import { clusterFiles } from "../../../lib/cluster-file/cluster-file.ts";
import { region } from "../../../lib/cluster-file/name-schema.ts";
import { readClusterConfig } from "../../../lib/cluster-file/read-cluster-config.ts";
import { Refusal } from "../../../lib/refusal.ts";
import { evictingSample } from "../../support/evicting-sample.ts";
import { sample } from "../synthesised.ts";

const { launchTemplateIds, ...complete } = evictingSample;

const complaint = (value: unknown): string => {
  try {
    readClusterConfig(JSON.stringify(value), "clusters/x.json");
  } catch (error) {
    if (error instanceof Error && error.name === "Refusal") return error.message;
    throw error;
  }
  throw new Error("it was accepted");
};

const { nodeRoleArns: _, ...unnamed } = complete;

const inCluster = (change: object) => ({
  ...complete,
  cluster: { ...complete.cluster, ...change },
});

/** The file in an authentication mode, without the roles of nodes. */
const unnamedIn = (authenticationMode: string) => ({
  ...unnamed,
  cluster: { ...complete.cluster, authenticationMode },
});

describe("a cluster's file", () => {
  it("needs to say no more than where the cluster is, and which groups and roles it has", () => {
    expect(readClusterConfig(JSON.stringify(complete), "x.json")).toMatchObject({
      hooks: { terminateName: "Terminate-LC-Hook", launching: "held" },
      events: { spotInterruption: "on" },
      queue: { visibilitySeconds: 130, receives: 80 },
      function: { memoryMegabytes: 512, concurrency: 10, logRetentionDays: 30 },
      privateEndpoints: [],
      privateEndpointsAdmit: [],
      dnsServers: [],
      tags: {},
    });
  });

  it("is refused with every place that does not fit, and what would fit", () => {
    const wrong = { ...inCluster({ vpcId: "my-vpc", region: undefined }), groups: [] };
    expect(complaint(wrong)).toBe(
      [
        "clusters/x.json does not fit:",
        "  cluster.region: expected the name of a region, such as eu-west-1, got nothing",
        '  cluster.vpcId: expected the id of a VPC, such as vpc-0123456789abcdef0, got "my-vpc"',
        '  groups: expected a list of Auto Scaling group names, such as ["workers"], got []',
      ].join("\n"),
    );
  });

  it.each<[value: object, expected: string]>([
    [{ ...complete, drains: {} }, 'the file: there is no "drains"'],
    [{ ...complete, drain: { timeout: 60 } }, 'drain: there is no "timeout"'],
    [{ ...complete, gruops: [] }, 'the file: there is no "gruops" (did you mean "groups"?)'],
    [inCluster({ vpcID: "vpc-0a1b2c3d" }), 'cluster: there is no "vpcID" (did you mean "vpcId"?)'],
    [
      { ...complete, drain: { timeoutSecond: 900, colour: "red" } },
      'drain: there is no "timeoutSecond" (did you mean "timeoutSeconds"?), "colour"',
    ],
    [{ ...complete, drain: null }, "drain: expected an object, got null"],
    [{ ...complete, cluster: undefined }, "cluster: expected an object, got nothing"],
    [[], "the file: expected an object, got []"],
    ...["eu-nowhere-9", "eu-wset-1", "west-1", "eu-west-1a"].map((region): [object, string] => [
      inCluster({ region }),
      `cluster.region: expected the name of a region, such as eu-west-1, got "${region}"`,
    ]),
    [
      { ...complete, drain: { timeoutSeconds: 10 } },
      "drain.timeoutSeconds: expected a whole number from 30 to 172800, got 10",
    ],
    [
      { ...complete, events: { stateChange: true } },
      'events.stateChange: expected "on" or "off", got true',
    ],
    [
      inCluster({ authenticationMode: "RBAC" }),
      'cluster.authenticationMode: expected "API" or "API_AND_CONFIG_MAP" or "CONFIG_MAP", got "RBAC"',
    ],
    [
      { ...complete, function: { logRetentionDays: 31 } },
      "function.logRetentionDays: expected days as CloudWatch Logs has them",
    ],
    [
      inCluster({ name: "my cluster" }),
      "the name of the EKS cluster: letters, digits, - and _, got",
    ],
    [inCluster({ name: "my.cluster" }), "cluster.name: expected the name of the EKS cluster"],
    [
      inCluster({ partition: "aws-cn" }),
      'cluster.partition: expected "aws", the partition of eu-west-1, got "aws-cn"',
    ],
    [
      inCluster({ subnetIds: ["subnet-0a1b2c3d", "subnet-0a1b2c3d"] }),
      'cluster.subnetIds.1: expected each but once, got "subnet-0a1b2c3d"',
    ],
    [
      inCluster({
        subnetIds: Array.from({ length: 17 }, (_, index) => `subnet-${10_000_000 + index}`),
      }),
      "cluster.subnetIds: expected a list of the ids of private subnets, 16 at most",
    ],
    [
      { ...complete, groups: ["workers", "gpu", "workers"] },
      'groups.2: expected each but once, got "workers"',
    ],
    ...[
      " workers",
      "workers ",
      "workers-*",
      "workers-?",
      "a:b",
      `\${aws:username}`,
      "#{Token[TOKEN.4]}",
      "grün",
    ].map((name): [object, string] => [
      { ...complete, groups: [name] },
      `groups.0: expected the whole name of one Auto Scaling group, such as workers: no wildcard, no colon, no blank around it, got ${JSON.stringify(name)}`,
    ]),
    [
      { ...complete, privateEndpoints: ["eks", "eks"] },
      'privateEndpoints.1: expected each but once, got "eks"',
    ],
    ...["arn:aws:kms:eu-west-1:123456789012:alias/notices", "arn:aws:kms:x", "1234abcd"].map(
      (arn): [object, string] => [
        { ...complete, encryptionKeyArn: arn },
        "encryptionKeyArn: expected the ARN of a KMS key, not of an alias, such as arn:aws:kms:",
      ],
    ),
    [
      { ...complete, encryptionKeyArn: "arn:aws:kms:eu-west-2:123456789012:key/1234abcd" },
      "encryptionKeyArn: expected a key in eu-west-1, where the topic is, got",
    ],
    [
      {
        ...complete,
        encryptionKey: "region",
        encryptionKeyArn: "arn:aws:kms:eu-west-1:123456789012:key/1234abcd",
      },
      'encryptionKeyArn: expected nothing where encryptionKey is "region", got',
    ],
    [
      { ...complete, privateEndpointsAdmit: ["10.0.0.0/33"] },
      'privateEndpointsAdmit.0: expected a range of addresses or the id of a security group, such as 10.0.0.0/16 or sg-0a1b2c3d, got "10.0.0.0/33"',
    ],
    ...[
      "10.0.0",
      "dns.example.com",
      "10.0.0.2/x",
      "::1/129",
      "10.0.0.0/16/16",
      "sg-0a",
      "fe80::1%eth0",
      "::ffff:10.0.0.2",
      "1:2:3:4:5:6:7::",
    ].map((server): [object, string] => [
      { ...complete, dnsServers: [server] },
      "dnsServers.0: expected an IP address or a range of them, such as 10.0.0.2 or 10.0.0.0/16",
    ]),
    [
      { ...inCluster({ authenticationMode: "CONFIG_MAP" }), launch: { access: "access-entry" } },
      'launch.access: expected "auto" or "aws-auth", for a cluster in mode CONFIG_MAP has no access entries, got "access-entry"',
    ],
    [
      { ...inCluster({ authenticationMode: "CONFIG_MAP" }), launch: { access: "at deployment" } },
      'launch.access: expected "auto" or "aws-auth", for a cluster in mode CONFIG_MAP has no access entries, got "at deployment"',
    ],
    [
      { ...unnamedIn("API"), launch: { access: "at deployment" } },
      'nodeRoleArns: expected the roles of the nodes, which launch.access "at deployment" registers, such as ["arn:aws:iam::123456789012:role/nodes"]; "npx eks-node-lifecycle init sample --json" finds them, got nothing',
    ],
    [
      unnamedIn("API"),
      'nodeRoleArns: expected the roles of the nodes, the only ones that the function may make access entries for, and pass to EKS, such as ["arn:aws:iam::123456789012:role/nodes"]; "npx eks-node-lifecycle init sample --json" finds them, got nothing',
    ],
    [
      unnamedIn("CONFIG_MAP"),
      'nodeRoleArns: expected the roles of the nodes, the only ones that the function may map in aws-auth, such as ["arn:aws:iam::123456789012:role/nodes"]; "npx eks-node-lifecycle init sample --json" finds them, got nothing',
    ],
    [
      { ...unnamed, launch: { access: "aws-auth" } },
      "nodeRoleArns: expected the roles of the nodes, the only ones that the function may map in aws-auth",
    ],
    [
      { ...unnamed, hooks: { launching: "not held" }, upgrades: "on", launchTemplateIds },
      "nodeRoleArns: expected the roles of the nodes, the only ones that upgrades may launch instances with",
    ],
    [
      { ...complete, upgrades: "on" },
      'launchTemplateIds: expected the launch templates of the groups, the only ones that upgrades may use, such as ["lt-0123456789abcdef0"]; "npx eks-node-lifecycle init sample --json" finds them, got nothing',
    ],
    [
      { ...inCluster({ authenticationMode: "API" }), launch: { access: "aws-auth" } },
      'launch.access: expected "auto" or "access-entry", for a cluster in mode API does not read aws-auth, got "aws-auth"',
    ],
    [
      { ...complete, tags: { "aws:team": "nodes" } },
      'tags: expected a key of 1 to 128 characters that does not begin with aws:, got "aws:team"',
    ],
    ...(
      [
        ["tags.team", { tags: { team: "{{resolve:secretsmanager:db}}" } }],
        ["tags", { tags: { "{{resolve:ssm:/db}}": "a" } }],
        ["tags.team", { tags: { team: `\${Token[TOKEN.4]}` } }],
        ["groupTag.value", { groupTag: { key: "a", value: "{{resolve:ssm:/db}}" } }],
        ["launch.startupTaints.0", { launch: { startupTaints: ["#{Token[TOKEN.4]}"] } }],
      ] as const
    ).map(([place, said]): [object, string] => [
      { ...complete, ...said },
      `${place}: expected text without {{resolve: and without \${Token[, which a deployment would replace, got "`,
    ]),
    [
      { ...complete, nodeRoleArns: ["arn:aws:iam::123456789012:role/*"] },
      "nodeRoleArns.0: expected the ARN of one role, without a wildcard",
    ],
    [
      {
        ...inCluster({ account: "123456789012" }),
        nodeRoleArns: ["arn:aws:iam::999999999999:role/nodes"],
      },
      "nodeRoleArns.0: expected a role of the cluster's account, 123456789012, got",
    ],
    [
      { ...complete, nodeRoleArns: ["arn:aws-cn:iam::123456789012:role/nodes"] },
      "nodeRoleArns.0: expected a role of partition aws, got",
    ],
  ])("is refused with what would fit: %#", (value, expected) => {
    expect(complaint(value)).toContain(expected);
  });

  it.each([
    ["eu-west-1", "aws"],
    ["cn-north-1", "aws-cn"],
    ["us-gov-west-1", "aws-us-gov"],
    ["us-isob-east-1", "aws-iso-b"],
    ["eusc-de-east-1", "aws-eusc"],
    ["ap-southeast-9", "aws"],
  ])("may be of a Region of any partition: %s", (region, partition) => {
    const nodeRoleArns = [`arn:${partition}:iam::123456789012:role/nodes`];
    const file = JSON.stringify({ ...inCluster({ region, partition }), nodeRoleArns });
    expect(readClusterConfig(file, "x.json").cluster).toMatchObject({ region, partition });
  });

  it.each(["workers", "a/b", "eksctl-demo-ng-1-NodeGroup-1ABC", "with (some) others, & more!"])(
    "may name any group that Auto Scaling has: %s",
    (name) => {
      const file = JSON.stringify({ ...complete, groups: [name] });
      expect(readClusterConfig(file, "x.json").groups).toEqual([name]);
    },
  );

  it("may be of every Region that CDK knows", () => {
    const regions = RegionInfo.regions.map(({ name }) => name);
    expect(regions.length).toBeGreaterThan(30);
    expect(regions.filter((name) => !region.safeParse(name).success)).toEqual([]);
  });

  it.each([
    ['{\n  "groups": ["a"],\n  "groups": ["b"]\n}', 'clusters/x.json, line 3: "groups"'],
    ['{ "cluster": {\n "name": "a", "name": "b" } }', 'clusters/x.json, line 2: "name"'],
  ])("is refused if it says something twice, with the line: %j", (text, expected) => {
    expect(() => readClusterConfig(text, "clusters/x.json")).toThrow(
      `${expected} is there for the second time`,
    );
  });

  it.each([
    ["{", " is not JSON: Expected property name or '}' in JSON at position 1 (line 1 column 2)"],
    ['{\n"groups": ["a",\n],\n"drain": {}}', " is not JSON: Unexpected token ']' (line 3)"],
    [" \n", " is empty"],
    ["\ufeff", " is empty"],
  ])("that is not JSON is refused, with the line: %j", (text, told) => {
    expect(() => readClusterConfig(text, "clusters/x.json")).toThrow(
      new Refusal(`clusters/x.json${told}`),
    );
  });

  it("that does not exist is refused with those that do", () => {
    expect(() => clusterFiles({ cluster: "nowhere" })).toThrow(
      "there is no clusters/nowhere.json; the clusters with a file are: sample",
    );
  });

  it("has to be named: nothing is deployed by default", () => {
    expect(() => clusterFiles({})).toThrow(
      "name a cluster with -c cluster=NAME; the clusters with a file are: sample",
    );
    expect(JSON.parse(readFileSync("cdk.json", "utf8"))).not.toHaveProperty("context");
  });

  it("keeps the journal for as long as CloudWatch can, and editors know how long that is", () => {
    const days = Object.values(RetentionDays)
      .filter((one) => typeof one === "number")
      .filter((one) => one !== RetentionDays.INFINITE);
    const { properties } = clusterConfigJsonSchema() as {
      properties: { function: { properties: { logRetentionDays: { enum: number[] } } } };
    };
    expect(properties.function.properties.logRetentionDays.enum).toEqual(days);
    for (const logRetentionDays of days) {
      const config = { ...sample, function: { ...sample.function, logRetentionDays } };
      expect(readClusterConfig(JSON.stringify(config), "x.json").function).toMatchObject({
        logRetentionDays,
      });
    }
  });

  it("is known to editors by a schema that is the same", () => {
    const written: unknown = JSON.parse(readFileSync("clusters/cluster.schema.json", "utf8"));
    expect(written).toEqual(JSON.parse(JSON.stringify(clusterConfigJsonSchema())));
  });
});
