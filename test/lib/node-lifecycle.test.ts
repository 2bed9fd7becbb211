import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { App, Stack, Validations } from "aws-cdk-lib";
import { Match, Template } from "aws-cdk-lib/assertions";
import { AutoScalingGroup, CfnAutoScalingGroup } from "aws-cdk-lib/aws-autoscaling";
import { InstanceType, MachineImage, Peer } from "aws-cdk-lib/aws-ec2";
import { Key } from "aws-cdk-lib/aws-kms";
import { Architecture, Tracing } from "aws-cdk-lib/aws-lambda";
import { Secret } from "aws-cdk-lib/aws-secretsmanager";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, it } from "vitest";
import { readAccessRequest } from "../../lambda/rights/access-request.ts";
import type { NodeLifecycleProps } from "../../lib/node-lifecycle-props.ts";
import { RegionKey } from "../../lib/region-key.ts";
import { ownStack as deployed, ownLifecycle } from "./own-stack.ts";
import { resourcesOf, sample, synthesised } from "./synthesised.ts";

const { template: usualTemplate } = deployed();

const hooked = (template: Template): readonly unknown[] =>
  Object.values(resourcesOf(template))
    .filter(({ Type }) => Type === "AWS::AutoScaling::LifecycleHook")
    .map(({ Properties }) => Properties.AutoScalingGroupName);

it("the groups may be made by CDK, imported, or given by name", () => {
  const { template } = deployed((stack, { cluster }) => ({
    groups: [
      new AutoScalingGroup(stack, "Nodes", {
        vpc: cluster.vpc,
        instanceType: new InstanceType("m6i.large"),
        machineImage: MachineImage.genericLinux({ "eu-west-1": "ami-0123456789abcdef0" }),
      }),
      AutoScalingGroup.fromAutoScalingGroupName(stack, "Imported", "gpu"),
      "windows",
    ],
  }));
  const own = { Ref: Match.stringLikeRegexp("^NodesASG") };
  expect(hooked(template)).toEqual(expect.arrayContaining(["gpu", "windows"]));
  expect(hooked(template)).toHaveLength(6);
  const ofOwn = { AutoScalingGroupName: own };
  template.resourcePropertiesCountIs("AWS::AutoScaling::LifecycleHook", ofOwn, 2);
  template.hasResourceProperties("AWS::Lambda::Function", {
    Environment: {
      Variables: { MANAGED_GROUPS: { "Fn::Join": ["", Match.arrayWith([own])] } },
    },
  });
});

type PropsOf = NonNullable<Parameters<typeof ownLifecycle>[0]>;

describe("cdk-nag finds nothing unexplained", () => {
  it.each<[string, ReturnType<PropsOf> | PropsOf]>([
    ["in a cluster with access entries", {}],
    ["in a cluster with aws-auth alone", { authenticationMode: "CONFIG_MAP" }],
    ["with traces", { function: { tracing: Tracing.ACTIVE }, privateEndpoints: ["xray"] }],
    ["without held launches", { hooks: { launching: "not held" } }],
    ["in a private VPC", { privateEndpoints: ["autoscaling", "ec2", "eks", "sqs"] }],
    [
      "with DNS servers of its own",
      { dnsServers: [Peer.ipv4("10.0.0.2/32")], privateEndpointsAdmit: [Peer.ipv4("10.0.0.0/16")] },
    ],
    ["with a tag of groups", { groups: [], groupTag: { key: "eks", value: "own" } }],
    ["with two groups", { groups: ["workers", "gpu"], upgrades: "on", repairs: "on" }],
    [
      "with a webhook, and traces",
      (stack) => ({
        webhook: { secret: new Secret(stack, "Url"), format: "slack" },
        function: { tracing: Tracing.ACTIVE },
      }),
    ],
  ])("%s", (_, props) => {
    const { app, stack } = ownLifecycle(typeof props === "function" ? props : () => props);
    const id = "AwsSolutions-SMG4";
    Validations.of(stack).acknowledge({ id, reason: "the secret is not what this is about" });
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    expect(() => app.synth()).not.toThrow();
  });

  it("with groups that another stack has made", () => {
    const { app, stack } = ownLifecycle(({ node, region, account }) => {
      const others = new Stack(node.root, "Others", { env: { region, account } });
      const made = new CfnAutoScalingGroup(others, "Nodes", {
        minSize: "0",
        maxSize: "1",
        launchTemplate: { launchTemplateName: "nodes", version: "1" },
      });
      const reason = "it is not what this is about";
      Validations.of(made).acknowledge({ id: "AwsSolutions-AS3", reason });
      return { groups: [AutoScalingGroup.fromAutoScalingGroupName(others, "Group", made.ref)] };
    });
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    expect(() => app.synth()).not.toThrow();
    expect(hooked(Template.fromStack(stack))).toEqual(
      Array(2).fill({ "Fn::ImportValue": expect.stringContaining("Nodes") as string }),
    );
  });
});

it("the hooks may be called something else, and launches need not be held", () => {
  const { template } = deployed(() => ({
    hooks: { terminateName: "drain", launching: "not held" },
  }));
  template.resourceCountIs("AWS::AutoScaling::LifecycleHook", 1);
  template.hasResourceProperties("AWS::AutoScaling::LifecycleHook", {
    LifecycleHookName: "drain",
  });
});

describe("the roles", () => {
  const trustOf = (name: RegExp) => {
    const roles = Object.entries(resourcesOf(usualTemplate)).filter(
      ([id, { Type }]) => Type === "AWS::IAM::Role" && name.test(id),
    );
    expect(roles).toHaveLength(1);
    return roles[0]?.[1].Properties;
  };

  it("of the hooks are Auto Scaling's to take, for this account alone", () => {
    expect(trustOf(/HooksRole/)).toMatchObject({
      AssumeRolePolicyDocument: {
        Statement: [
          {
            Action: "sts:AssumeRole",
            Effect: "Allow",
            Principal: { Service: "autoscaling.amazonaws.com" },
            Condition: { StringEquals: { "aws:SourceAccount": "123456789012" } },
          },
        ],
      },
    });
  });

  it.each([/NodeRole/, /DeployerRole/, /ProviderRole/])(
    "of functions are Lambda's to take, and have no policy of AWS: %s",
    (name) => {
      const { AssumeRolePolicyDocument, ManagedPolicyArns } = trustOf(name) ?? {};
      expect(AssumeRolePolicyDocument).toMatchObject({
        Statement: [{ Effect: "Allow", Principal: { Service: "lambda.amazonaws.com" } }],
      });
      expect(ManagedPolicyArns).toBeUndefined();
    },
  );
});

describe("the topic's key", () => {
  const key = "arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab";
  const accountRoot = {
    "Fn::Join": [
      "",
      ["arn:", { Ref: "AWS::Partition" }, ":iam::", { Ref: "AWS::AccountId" }, ":root"],
    ],
  };

  /** The topic is encrypted with this key and no other, which the hooks' role may use. */
  function encrypts(template: Template, Resource: unknown): void {
    template.resourceCountIs("AWS::KMS::Key", 0);
    template.hasResourceProperties("AWS::SNS::Topic", { KmsMasterKeyId: Resource });
    template.hasResourceProperties("AWS::IAM::Policy", {
      Roles: [{ Ref: Match.stringLikeRegexp("HooksRole") }],
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Action: ["kms:Decrypt", "kms:GenerateDataKey"], Resource }),
        ]),
      },
    });
  }

  it("may be your own, or one that a cluster's file names, and then the stack makes no other", () => {
    const ofStack = (stack: Stack) => ({ encryptionKey: Key.fromKeyArn(stack, "Own", key) });
    encrypts(deployed(ofStack).template, key);
    encrypts(synthesised({ encryptionKeyArn: key }), key);
  });

  it("is that of the Region where a cluster's file says so, for the role of the hooks alone", () => {
    const region = Template.fromStack(new RegionKey(new App(), "Key", { region: "eu-west-1" }));
    const [id = "", ...others] = Object.keys(resourcesOf(region));
    expect(others).toEqual([]);
    region.hasResourceProperties("AWS::KMS::Key", {
      EnableKeyRotation: true,
      KeyPolicy: {
        // The account's IAM says who may use it, and nobody outside of the account may.
        Statement: [{ Principal: { AWS: accountRoot }, Effect: "Allow", Action: "kms:*" }],
      },
    });
    region.hasOutput("KeyArn", {
      Value: { "Fn::GetAtt": [id, "Arn"] },
      Export: { Name: "EksNodeLifecycleKey" },
    });

    const template = synthesised({ encryptionKey: "region" });
    encrypts(template, { "Fn::ImportValue": "EksNodeLifecycleKey" });
    const policies = Object.values(template.findResources("AWS::IAM::Policy")).filter((policy) =>
      JSON.stringify(policy).includes('"kms:'),
    );
    expect(policies).toMatchObject([
      { Properties: { Roles: [{ Ref: expect.stringContaining("HooksRole") as string }] } },
    ]);
  });
});

describe("the rules", () => {
  const heard = (events: NonNullable<NodeLifecycleProps["events"]>) =>
    Object.values(deployed(() => ({ events })).template.findResources("AWS::Events::Rule"))
      .map(({ Properties }) => String(Properties.EventPattern["detail-type"]))
      .toSorted();
  const kinds = {
    scheduledChange: "AWS Health Event",
    capacityBlock:
      "Capacity Block Delivered,Capacity Block Reservation Delivered,Capacity Block Expiration Warning,Capacity Block Reservation Expiration Warning",
    capacityReservationInterruption:
      "EC2 Capacity Reservation Instance Interruption Warning,EC2 Interruptible Capacity Reservation Instance Interruption Warning",
    rebalanceRecommendation: "EC2 Instance Rebalance Recommendation",
    stateChange: "EC2 Instance State-change Notification",
    spotInterruption: "EC2 Spot Instance Interruption Warning",
  };

  it.each(Object.keys(kinds))("hand %s to the queue unless it is switched off", (kind) => {
    const { [kind]: _, ...others }: Record<string, string> = kinds;
    expect(heard({ [kind]: "off" })).toEqual(Object.values(others));
  });

  it("hear of no recommendation that nothing is done about", () => {
    expect(heard({ rebalance: "cordon" })).toEqual(Object.values(kinds));
    expect(heard({ rebalance: "nothing" })).toEqual(heard({ rebalanceRecommendation: "off" }));
  });

  it("leave nothing of EventBridge when all are off", () => {
    const off = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, "off"]));
    const { template } = deployed(() => ({ events: off }));
    expect(JSON.stringify(template.toJSON())).not.toContain("events.amazonaws.com");
  });
});

describe("the function", () => {
  const roles = ["arn:aws:iam::123456789012:role/one", "arn:aws:iam::123456789012:role/b/two"];

  it("lets in nobody where the stack has let in the roles of nodes, whose entries stay", () => {
    const { template } = deployed(() => ({
      launch: { access: "at deployment" },
      nodeRoles: roles,
    }));
    for (const PrincipalArn of roles)
      template.hasResource("AWS::EKS::AccessEntry", {
        Properties: { ClusterName: "own", PrincipalArn, Type: "EC2_LINUX" },
        DeletionPolicy: "RetainExceptOnCreate",
        UpdateReplacePolicy: "Retain",
      });
  });

  it("may pass no role where it lets in nobody and none are named", () => {
    const hooks = { launching: "not held" } as const;
    const { template } = deployed(() => ({ nodeRoles: undefined, hooks }));
    expect(JSON.stringify(template.toJSON())).not.toContain("iam:PassRole");
    expect(rightsIn(template)).not.toHaveProperty("NodeRoles");
  });

  it("runs on another processor, with the deployer, where that is asked for", () => {
    const x86 = { function: { architecture: Architecture.X86_64 } };
    const file = { function: { ...sample.function, architecture: "x86_64" } } as const;
    for (const template of [deployed(() => x86).template, synthesised(file)])
      for (const Description of [Match.stringLikeRegexp("Drains"), Match.stringLikeRegexp("Gives")])
        template.hasResourceProperties("AWS::Lambda::Function", {
          Description,
          Architectures: ["x86_64"],
        });
  });

  it("has as many invocations of its own as are asked for, at least as many as batches", () => {
    const reserved = (reservedConcurrency: number) => () =>
      deployed(() => ({ function: { reservedConcurrency } })).template;
    reserved(10)().hasResourceProperties("AWS::Lambda::Function", {
      ReservedConcurrentExecutions: 10,
    });
    expect(reserved(9)).toThrow("less than the 10 batches");
  });

  it("and the deployer keep all their logs for as long as is asked for", () => {
    const file = { function: { ...sample.function, logRetentionDays: 14 } } as const;
    const groups = Object.values(resourcesOf(synthesised(file))).filter(
      ({ Type }) => Type === "AWS::Logs::LogGroup",
    );
    expect(groups.map(({ Properties: { RetentionInDays: days } }) => days)).toEqual([14, 14, 14]);
  });
});

it.each([
  "AWS::SNS::Topic",
  "AWS::SQS::Queue",
  "AWS::Lambda::Function",
  "AWS::IAM::Role",
  "AWS::KMS::Key",
])("the tags of a cluster's file are on every %s", (type) => {
  const template = synthesised({ tags: { team: "nodes", "cost-centre": "42" } });
  const tags = Match.arrayWith([
    { Key: "cost-centre", Value: "42" },
    { Key: "team", Value: "nodes" },
  ]);
  template.allResourcesProperties(type, { Tags: tags });
});

const rightsIn = (template: Template) =>
  Object.values(resourcesOf(template)).find(({ Type }) => Type === "Custom::EksNodeLifecycleAccess")
    ?.Properties;

describe("the access to the cluster", () => {
  const taint = "example.com/draining=true:NoSchedule";
  const both = { authenticationMode: "API_AND_CONFIG_MAP" } as const;
  const nodeRoles = ["arn:aws:iam::123456789012:role/team/nodes"];

  it.each<[Partial<NodeLifecycleProps>, object]>([
    [{}, { AwsAuth: "none", Force: "at-deadline", OwnTaint: "" }],
    [both, { AwsAuth: "read" }],
    [{ ...both, launch: { access: "aws-auth" } }, { AwsAuth: "edit" }],
    [{ ...both, hooks: { launching: "not held" } }, { AwsAuth: "none" }],
    [{ drain: { force: "never" } }, { Force: "never" }],
    [{ drain: { taint } }, { OwnTaint: taint }],
    [{ drain: { makeRoom: "annotated" } }, { MakeRoom: "annotated" }],
    [{ drain: { conditions: "on" } }, { Conditions: "on" }],
    [{ apiPriority: "own" }, { ApiPriority: "own" }],
    [{ events: { outOfService: "taint" } }, { OutOfService: "taint", RemoveNode: "stopped" }],
    [{ events: { removeNode: "never" } }, { OutOfService: "never", RemoveNode: "never" }],
    [{ reports: { kubernetesEvents: "off" } }, { Events: "off" }],
    [{ nodeRoles }, { NodeRoles: nodeRoles }],
  ])("is limited to what the deployment wants: %j", (props, limits) => {
    expect(rightsIn(deployed(() => props).template)).toMatchObject(limits);
  });

  it("can be read by the deployer, and is applied again by every new bundle of it", () => {
    const properties = rightsIn(usualTemplate);
    const named = { StackId: "stack", LogicalResourceId: "Rights" };
    const request = { ...named, RequestType: "Create", ResourceProperties: properties };
    const invokedFunctionArn = "arn:aws:lambda:eu-west-1:123456789012:function:Deployer";
    expect(readAccessRequest(request, { invokedFunctionArn }).clusterName).toBe("own");
    const files = globSync("dist/access/*.cjs").sort();
    const bundle = Buffer.concat(files.map((file) => readFileSync(file)));
    expect(properties?.Deployer).toBe(createHash("sha256").update(bundle).digest("hex"));
    const left = ["RemoveNode", "OutOfService"];
    const rightsChosen = ["Force", "AwsAuth", "OwnTaint", "Events", "NodeRoles", ...left];
    const told = ["ServiceToken", "ServiceTimeout", "ClusterName", "Deployer", ...rightsChosen];
    expect(new Set(Object.keys(properties ?? {}))).toEqual(new Set(told));
  });

  it.each([
    ["API", 1],
    ["API_AND_CONFIG_MAP", 1],
    ["CONFIG_MAP", 0],
  ] as const)(
    "needs no administrator of the cluster if its owner applies the rights: %s",
    (authenticationMode, entries) => {
      const { template } = deployed(() => ({ authenticationMode, rights: "by hand" }));
      template.resourceCountIs("AWS::EKS::AccessEntry", entries);
      const limited = {
        KubernetesGroups: ["eks-node-lifecycle"],
        AccessPolicies: Match.absent(),
      };
      template.resourcePropertiesCountIs("AWS::EKS::AccessEntry", limited, entries);
      template.resourceCountIs("Custom::EksNodeLifecycleAccess", 0);
      template.resourceCountIs("AWS::Lambda::Function", 1);
      template.resourceCountIs("AWS::IAM::Role", 2);
    },
  );

  it("is one mapping for each function to add by hand where only aws-auth gives access", () => {
    const { template } = deployed(() => ({
      authenticationMode: "CONFIG_MAP",
      upgrades: "on",
      repairs: "on",
    }));
    template.resourceCountIs("AWS::EKS::AccessEntry", 0);
    template.resourceCountIs("Custom::EksNodeLifecycleAccess", 0);
    const mapping = (role: string, group: string) => [
      { "Fn::GetAtt": [Match.stringLikeRegexp(role), "Arn"] },
      Match.stringLikeRegexp(`^\n  username: ${group}\n  groups:\n    - ${group}\n(- rolearn: )?$`),
    ];
    template.hasOutput("*", {
      Value: {
        "Fn::Join": [
          "",
          [
            "- rolearn: ",
            ...mapping("NodeRole", "eks-node-lifecycle"),
            ...mapping("UpgradeRole", "eks-node-lifecycle-upgrades"),
            ...mapping("RepairRole", "eks-node-lifecycle-repairs"),
          ],
        ],
      },
    });
  });
});
