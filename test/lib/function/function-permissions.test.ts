import { globSync, readFileSync } from "node:fs";
import { Match } from "aws-cdk-lib/assertions";
import { Tracing } from "aws-cdk-lib/aws-lambda";
import { describe, expect, it } from "vitest";
import type { ClusterConfig } from "../../../lib/cluster-file/cluster-config-schema.ts";
import { functionPermissions } from "../../../lib/function/function-permissions.ts";
import { networkActions, tracingPermissions } from "../../../lib/function/queue-permissions.ts";
import { repairPermissions } from "../../../lib/repair/repair-permissions.ts";
import { upgradePermissions } from "../../../lib/upgrade/upgrades.ts";
import { readMarkdown } from "../../docs/read-markdown.ts";
import { ownStack } from "../own-stack.ts";
import { policyOf } from "../role-statements.ts";
import { sample, sampleWebhook, synthesised } from "../synthesised.ts";
import { toldRights } from "../told-rights.ts";

/** The operations of AWS that a function's bundle can call: a class of the SDK for each, or an older one, or a schema of our own. */
function callsOf(name: string): readonly string[] {
  const code = globSync(`dist/${name}/*.cjs`).map((file) => readFileSync(file, "utf8"));
  const commands = /(?:class extends[^"{;]*|\.s\("\w+",|\[9,\w+,)"([A-Z]\w+)"/g;
  return [...code.join().matchAll(commands)].map(([, operation = ""]) => operation);
}

const operationsOf = (actions: readonly string[]) =>
  new Set(actions.map((action) => action.replace(/^.*:/, "")));

/** What the role with this logical id is allowed by the template's policies. */
function granted(role: RegExp, change: Partial<ClusterConfig> = {}): readonly string[] {
  const statements = policyOf(synthesised(change), role);
  return statements.flatMap(({ Action, Effect }) => (Effect === "Allow" ? [Action].flat() : []));
}

const platform = functionPermissions.flatMap((grant) =>
  grant.for === "platform" ? grant.actions : [],
);

/** A deployment that does all that not every deployment does. */
const doingAll: Partial<ClusterConfig> = {
  launchTemplateVersions: "made",
  drain: { ...sample.drain, deregister: "if-nobody-does" },
};

/** The actions in a cell of the tables of rights. */
const namedIn = (cell: string): readonly string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].map(([, action = ""]) => action);

describe("the node function's role", () => {
  it("may make every call that the bundle can make, and no other", () => {
    const allowed = granted(/NodeRole/, doingAll).filter((action) => !platform.includes(action));
    expect(operationsOf(allowed)).toEqual(new Set(callsOf("node")));
  });

  it("may do what Lambda needs for running it", () => {
    const traced = granted(/NodeRole/, { function: { ...sample.function, tracing: "on" } });
    expect(traced).toEqual(expect.arrayContaining(platform));
    expect(new Set(traced).size).toBe(traced.length);
  });

  it("may send traces only where X-Ray is to get them", () => {
    const xray = tracingPermissions.flatMap(({ actions }) => actions);
    expect(granted(/NodeRole/).filter((action) => xray.includes(action))).toEqual([]);
    const { template } = ownStack(() => ({ function: { tracing: Tracing.ACTIVE } }));
    template.resourcePropertiesCountIs(
      "AWS::Lambda::Function",
      { TracingConfig: { Mode: "Active" } },
      1,
    );
    template.hasResourceProperties("AWS::IAM::Policy", {
      PolicyDocument: {
        Statement: Match.arrayWith([{ Action: xray, Effect: "Allow", Resource: "*" }]),
      },
    });
  });

  const entries = ["eks:CreateAccessEntry", "eks:DescribeAccessEntry", "iam:PassRole"];
  const { cluster, hooks, launch } = sample;

  it.each<[string, Partial<ClusterConfig>, string[]]>([
    ["an API cluster", { cluster: { ...cluster, authenticationMode: "API" } }, []],
    [
      "a cluster with aws-auth alone",
      { cluster: { ...cluster, authenticationMode: "CONFIG_MAP" } },
      entries,
    ],
    ["launches by aws-auth", { launch: { ...launch, access: "aws-auth" } }, entries],
    [
      "nodes that the stack lets in",
      {
        launch: { ...launch, access: "at deployment" },
        nodeRoleArns: ["arn:aws:iam::123456789012:role/nodes"],
      },
      [...entries, "iam:GetInstanceProfile"],
    ],
    [
      "launches that are not held",
      { hooks: { ...hooks, launching: "not held" } },
      [...entries, "iam:GetInstanceProfile"],
    ],
  ])("may do nothing that %s has no use for", (_, change, unused) => {
    const widest = granted(/NodeRole/);
    expect(widest).toEqual(expect.arrayContaining(unused));
    expect(granted(/NodeRole/, change)).toEqual(widest.filter((one) => !unused.includes(one)));
  });

  it("may take instances out of load balancers only where that is wished, and no other of their calls changes anything", () => {
    const own = (actions: readonly string[]) =>
      new Set(actions.filter((action) => /^elasticloadbalancing:(?!Describe)/.test(action)));
    expect(own(granted(/NodeRole/))).toEqual(new Set());
    expect([...own(granted(/NodeRole/, doingAll))].toSorted()).toEqual([
      "elasticloadbalancing:DeregisterInstancesFromLoadBalancer",
      "elasticloadbalancing:DeregisterTargets",
    ]);
  });

  it("is granted nothing twice, and nothing by a wildcard", () => {
    const allowed = granted(/NodeRole/);
    expect(new Set(allowed).size).toBe(allowed.length);
    expect(allowed.filter((action) => action.includes("*"))).toEqual([]);
  });
});

/** What the adapters of drains and of groups can do besides, and neither upgrades nor repairs ask of them: to answer hooks. */
const ofHooks = [
  "CompleteLifecycleAction",
  "DescribeAutoScalingInstances",
  "DescribeLifecycleHooks",
  "RecordLifecycleActionHeartbeat",
];

describe.each([
  {
    work: "upgrade",
    role: /UpgradesUpgradeRole/,
    grants: upgradePermissions,
    // Repairs give an instance up by the same adapter.
    unused: [...ofHooks, "SetInstanceHealth"],
  },
  {
    work: "repair",
    role: /RepairsRepairRole/,
    grants: repairPermissions,
    // Repairs read refreshes and write tags by the adapter of upgrades, and never take a target out of a load balancer.
    unused: [
      ...ofHooks,
      "DeregisterInstancesFromLoadBalancer",
      "DeregisterTargets",
      "TerminateInstanceInAutoScalingGroup",
      "UpdateAutoScalingGroup",
    ],
  },
])("the $work function's role", ({ work, role, grants, unused }) => {
  it("may make every call that its bundle can make but those that it never makes, and no other", () => {
    const made = callsOf(work).filter((call) => !unused.includes(call));
    const ofPlatform = [...grants, ...functionPermissions].flatMap((grant) =>
      grant.for === "platform" ? grant.actions : [],
    );
    const allowed = granted(role, { ...doingAll, upgrades: "on", repairs: "on" });
    const called = allowed.filter((action) => !ofPlatform.includes(action));
    expect(operationsOf(called)).toEqual(new Set(made));
  });

  it("has a row in docs/rights.md for every action, with what for, and no other", () => {
    const column = `Action of ${work}s`;
    const { tables } = readMarkdown(readFileSync("docs/rights.md", "utf8"));
    const rows = tables.find(([first]) => first !== undefined && column in first) ?? [];
    const told = rows.flatMap(({ [column]: actions = "", On: on = "", Why: why = "" }) =>
      namedIn(actions).map((action) => ({ action, on, why })),
    );
    const actual = grants.flatMap(({ actions, on, why }) =>
      actions.map((action) => ({ action, on, why })),
    );
    expect(told).toEqual(actual);
  });
});

describe("the deployer's role", () => {
  it("may make every call that its bundle can make, and no other", () => {
    const allowed = granted(/AccessDeployerRole/).filter((action) => !platform.includes(action));
    expect(operationsOf(allowed)).toEqual(new Set(callsOf("access")));
    expect(granted(/AccessDeployerRole/)).toEqual(expect.arrayContaining([...networkActions]));
  });
});

describe("docs/rights.md", () => {
  it("has a row for every action that is granted, with what for, and no other", () => {
    const tables = readMarkdown(readFileSync("docs/rights.md", "utf8")).tables;
    const rows = tables.find(([first]) => first !== undefined && "Action" in first) ?? [];
    const told = rows.flatMap(({ Action: actions = "", On: on = "", Why: why = "" }) =>
      namedIn(actions).map((action) => ({ action, on, why })),
    );
    const actual = functionPermissions.flatMap(({ actions, on, why }) =>
      actions.map((action) => ({ action, on, why })),
    );
    expect(told).toEqual(actual);
  });

  const keyArn = "arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab";
  const traced: Partial<ClusterConfig> = {
    webhook: { ...sampleWebhook, keyArn },
    function: { ...sample.function, tracing: "on" },
  };

  it.each<[string, RegExp, Partial<ClusterConfig>]>([
    ["hooks", /HooksRole/, {}],
    ["deployer", /AccessDeployerRole/, {}],
    ["provider", /AccessProviderRole/, {}],
    ["webhook's function", /WebhookRole/, traced],
  ])("has all that the role of the %s may do, and nothing else", (name, role, change) => {
    const told = toldRights(name);
    expect(told).toEqual(granted(role, change).toSorted());
    expect(told.length).toBeGreaterThan(2);
  });

  it("has all that the role of the hooks' function may do, where a parameter names the groups", () => {
    const { template } = ownStack(() => ({ hooks: { madeAs: "asked" } }));
    const actions = policyOf(template, /HooksAskedRole/).flatMap(({ Action }) => Action);
    expect(toldRights("hooks' function")).toEqual(actions.toSorted());
  });
});
