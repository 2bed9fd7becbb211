import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { isDeepStrictEqual } from "node:util";
import { App, Stack, Validations } from "aws-cdk-lib";
import { Annotations, Match, Template } from "aws-cdk-lib/assertions";
import { AutoScalingGroup, CfnAutoScalingGroup } from "aws-cdk-lib/aws-autoscaling";
import {
  InstanceClass,
  InstanceSize,
  InstanceType,
  MachineImage,
  Peer,
  SecurityGroup,
  Vpc,
} from "aws-cdk-lib/aws-ec2";
import { Key } from "aws-cdk-lib/aws-kms";
import { Architecture, Tracing } from "aws-cdk-lib/aws-lambda";
import { AwsSolutionsChecks } from "cdk-nag";
import { describe, expect, it } from "vitest";
import { accessTimeoutSeconds } from "../../lambda/base/contract.ts";
import { readAccessRequest } from "../../lambda/rights/access-request.ts";
import { NodeLifecycle } from "../../lib/node-lifecycle.ts";
import type { NodeLifecycleProps } from "../../lib/node-lifecycle-props.ts";
import { RegionKey } from "../../lib/region-key.ts";
import { ownStack as deployed, named, ownLifecycle, type Place } from "./own-stack.ts";
import { resourcesOf, sample, synthesised } from "./synthesised.ts";

const { template: usualTemplate } = deployed();
const { template: ofAnyRole } = deployed(() => ({ nodeRoles: undefined }));

const hooked = (template: Template): readonly unknown[] =>
  Object.values(resourcesOf(template))
    .filter(({ Type }) => Type === "AWS::AutoScaling::LifecycleHook")
    .map(({ Properties }) => Properties.AutoScalingGroupName);

describe("the groups", () => {
  const made = (stack: Stack, { cluster }: Place) =>
    new AutoScalingGroup(stack, "Nodes", {
      vpc: cluster.vpc,
      instanceType: InstanceType.of(InstanceClass.M6I, InstanceSize.LARGE),
      machineImage: MachineImage.genericLinux({ "eu-west-1": "ami-0123456789abcdef0" }),
    });

  it("may be made by CDK, imported, or given by name", () => {
    const { template } = deployed((stack, place) => ({
      groups: [
        made(stack, place),
        AutoScalingGroup.fromAutoScalingGroupName(stack, "Imported", "gpu"),
        "windows",
      ],
    }));
    const own = { Ref: Match.stringLikeRegexp("^NodesASG") };
    expect(hooked(template)).toEqual(expect.arrayContaining(["gpu", "windows"]));
    expect(hooked(template)).toHaveLength(6);
    template.resourcePropertiesCountIs(
      "AWS::AutoScaling::LifecycleHook",
      { AutoScalingGroupName: own },
      2,
    );
    template.hasResourceProperties("AWS::Lambda::Function", {
      Environment: {
        Variables: { MANAGED_GROUPS: { "Fn::Join": ["", Match.arrayWith([own])] } },
      },
    });
  });
});

describe("cdk-nag finds nothing unexplained", () => {
  it.each<[string, Partial<NodeLifecycleProps>]>([
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
    ["with two groups", { groups: ["workers", "gpu"] }],
  ])("%s", (_, props) => {
    const app = new App();
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    const stack = new Stack(app, "Own");
    const vpc = Vpc.fromVpcAttributes(stack, "Vpc", {
      vpcId: "vpc-0123456789abcdef0",
      availabilityZones: ["eu-west-1a"],
      privateSubnetIds: ["subnet-0123456789abcdef0"],
      privateSubnetRouteTableIds: ["rtb-0123456789abcdef0"],
    });
    const clusterSecurityGroup = SecurityGroup.fromSecurityGroupId(
      stack,
      "Cluster",
      "sg-0123456789abcdef0",
    );
    new NodeLifecycle(stack, "Lifecycle", {
      cluster: { clusterName: "own", vpc, clusterSecurityGroup },
      authenticationMode: "API",
      groups: ["workers"],
      ...named,
      ...props,
    });
    expect(() => app.synth()).not.toThrow();
  });

  it("with groups that another stack has made", () => {
    const app = new App();
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    const env = { region: "eu-west-1", account: "123456789012" };
    const stack = new Stack(app, "Own", { env });
    const others = new Stack(app, "Others", { env });
    const made = new CfnAutoScalingGroup(others, "Nodes", {
      minSize: "0",
      maxSize: "1",
      launchTemplate: { launchTemplateName: "nodes", version: "1" },
    });
    const reason = "it is not what this is about";
    Validations.of(made).acknowledge({ id: "AwsSolutions-AS3", reason });
    const nodes = AutoScalingGroup.fromAutoScalingGroupName(others, "Group", made.ref);
    const vpc = Vpc.fromVpcAttributes(stack, "Vpc", {
      vpcId: "vpc-0123456789abcdef0",
      availabilityZones: ["eu-west-1a"],
      privateSubnetIds: ["subnet-0123456789abcdef0"],
      privateSubnetRouteTableIds: ["rtb-0123456789abcdef0"],
    });
    const id = "sg-0123456789abcdef0";
    const clusterSecurityGroup = SecurityGroup.fromSecurityGroupId(stack, "Cluster", id);
    new NodeLifecycle(stack, "Lifecycle", {
      cluster: { clusterName: "own", vpc, clusterSecurityGroup },
      authenticationMode: "API",
      groups: [nodes],
    });
    expect(() => app.synth()).not.toThrow();
    expect(hooked(Template.fromStack(stack))).toEqual(
      Array(2).fill({ "Fn::ImportValue": expect.stringContaining("Nodes") as string }),
    );
  });
});

describe("the hooks", () => {
  it("hold for 48 hours, release the instance without an answer, and have managed groups' names", () => {
    const template = usualTemplate;
    const usual = {
      HeartbeatTimeout: 1800,
      DefaultResult: "CONTINUE",
      NotificationTargetARN: { Ref: Match.stringLikeRegexp("NoticesTopic") },
      RoleARN: { "Fn::GetAtt": [Match.stringLikeRegexp("HooksRole"), "Arn"] },
    };
    template.hasResourceProperties("AWS::AutoScaling::LifecycleHook", {
      ...usual,
      LifecycleHookName: "Terminate-LC-Hook",
      LifecycleTransition: "autoscaling:EC2_INSTANCE_TERMINATING",
    });
    template.hasResourceProperties("AWS::AutoScaling::LifecycleHook", {
      ...usual,
      LifecycleHookName: "Launch-LC-Hook",
      LifecycleTransition: "autoscaling:EC2_INSTANCE_LAUNCHING",
    });
  });

  it("may be called something else, and launches need not be held", () => {
    const { template } = deployed(() => ({
      hooks: { terminateName: "drain", launching: "not held" },
    }));
    template.resourceCountIs("AWS::AutoScaling::LifecycleHook", 1);
    template.hasResourceProperties("AWS::AutoScaling::LifecycleHook", {
      LifecycleHookName: "drain",
    });
  });

  it("have a role that may publish to the topic with its key, and nothing else", () => {
    usualTemplate.hasResourceProperties("AWS::IAM::Policy", {
      Roles: [{ Ref: Match.stringLikeRegexp("HooksRole") }],
      PolicyDocument: {
        Statement: [
          {
            Action: "sns:Publish",
            Effect: "Allow",
            Resource: { Ref: Match.stringLikeRegexp("NoticesTopic") },
          },
          {
            Action: ["kms:Decrypt", "kms:GenerateDataKey"],
            Effect: "Allow",
            Resource: { "Fn::GetAtt": [Match.stringLikeRegexp("NoticesKey"), "Arn"] },
          },
        ],
      },
    });
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

describe("the topic", () => {
  it("is encrypted with a key of its own", () => {
    usualTemplate.hasResourceProperties("AWS::SNS::Topic", {
      KmsMasterKeyId: { "Fn::GetAtt": [Match.stringLikeRegexp("NoticesKey"), "Arn"] },
    });
  });
});

describe("the topic's key", () => {
  const key = "arn:aws:kms:eu-west-1:123456789012:key/1234abcd-12ab-34cd-56ef-1234567890ab";
  const accountRoot = {
    "Fn::Join": [
      "",
      ["arn:", { Ref: "AWS::Partition" }, ":iam::", { Ref: "AWS::AccountId" }, ":root"],
    ],
  };

  it("is rotated, and goes with the stack", () => {
    usualTemplate.hasResource("AWS::KMS::Key", {
      DeletionPolicy: "Delete",
      Properties: { EnableKeyRotation: true },
    });
  });

  it("may be your own, which the hooks' role may use, and then the stack makes no other", () => {
    const { template } = deployed((stack) => ({
      encryptionKey: Key.fromKeyArn(stack, "Own", key),
    }));
    template.resourceCountIs("AWS::KMS::Key", 0);
    template.hasResourceProperties("AWS::SNS::Topic", { KmsMasterKeyId: key });
    template.hasResourceProperties("AWS::IAM::Policy", {
      Roles: [{ Ref: Match.stringLikeRegexp("HooksRole") }],
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Action: ["kms:Decrypt", "kms:GenerateDataKey"], Resource: key }),
        ]),
      },
    });
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
    const imported = { "Fn::ImportValue": "EksNodeLifecycleKey" };
    template.resourceCountIs("AWS::KMS::Key", 0);
    template.hasResourceProperties("AWS::SNS::Topic", { KmsMasterKeyId: imported });
    const policies = Object.values(template.findResources("AWS::IAM::Policy")).filter((policy) =>
      JSON.stringify(policy).includes('"kms:'),
    );
    expect(policies).toMatchObject([
      { Properties: { Roles: [{ Ref: expect.stringContaining("HooksRole") as string }] } },
    ]);
    template.hasResourceProperties("AWS::IAM::Policy", {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({ Action: ["kms:Decrypt", "kms:GenerateDataKey"], Resource: imported }),
        ]),
      },
    });
  });

  it("is the one that a cluster's file names", () => {
    const template = synthesised({ encryptionKeyArn: key });
    template.resourceCountIs("AWS::KMS::Key", 0);
    template.hasResourceProperties("AWS::SNS::Topic", { KmsMasterKeyId: key });
  });
});

describe("the rules", () => {
  it.each([
    ["spotInterruption", "EC2 Spot Instance Interruption Warning"],
    ["rebalanceRecommendation", "EC2 Instance Rebalance Recommendation"],
    ["scheduledChange", "AWS Health Event"],
    ["stateChange", "EC2 Instance State-change Notification"],
  ])("hand %s to the queue unless it is switched off", (kind, title) => {
    const pattern = { EventPattern: Match.objectLike({ "detail-type": [title] }) };
    const on = usualTemplate;
    on.hasResourceProperties("AWS::Events::Rule", {
      ...pattern,
      State: "ENABLED",
      Targets: [
        Match.objectLike({
          Arn: { "Fn::GetAtt": [Match.stringLikeRegexp("InboxQueue"), "Arn"] },
          DeadLetterConfig: {
            Arn: { "Fn::GetAtt": [Match.stringLikeRegexp("InboxDeadLetters"), "Arn"] },
          },
        }),
      ],
    });
    const { template: off } = deployed(() => ({ events: { [kind]: "off" } }));
    off.resourceCountIs("AWS::Events::Rule", 3);
    off.resourcePropertiesCountIs("AWS::Events::Rule", pattern, 0);
  });

  it.each([
    [
      "state changes only of instances that end or stop",
      {
        source: ["aws.ec2"],
        "detail-type": ["EC2 Instance State-change Notification"],
        detail: { state: ["stopping", "shutting-down", "stopped", "terminated"] },
      },
    ],
    [
      "AWS Health only of scheduled changes of EC2",
      {
        source: ["aws.health"],
        "detail-type": ["AWS Health Event"],
        detail: { service: ["EC2"], eventTypeCategory: ["scheduledChange"] },
      },
    ],
  ])("hear of %s", (_, EventPattern) => {
    const found = Object.values(resourcesOf(usualTemplate)).filter(
      ({ Type, Properties }) =>
        Type === "AWS::Events::Rule" && isDeepStrictEqual(Properties.EventPattern, EventPattern),
    );
    expect(found).toHaveLength(1);
  });

  it("hear of no recommendation that nothing is done about", () => {
    const pattern = {
      EventPattern: Match.objectLike({ "detail-type": ["EC2 Instance Rebalance Recommendation"] }),
    };
    const heard = (rebalance: "cordon" | "nothing") =>
      deployed(() => ({ events: { rebalance } })).template;
    heard("cordon").resourcePropertiesCountIs("AWS::Events::Rule", pattern, 1);
    heard("nothing").resourcePropertiesCountIs("AWS::Events::Rule", pattern, 0);
  });

  it("leave nothing of EventBridge when all are off", () => {
    const off = "off";
    const { template } = deployed(() => ({
      events: {
        spotInterruption: off,
        rebalanceRecommendation: off,
        scheduledChange: off,
        stateChange: off,
      },
    }));
    expect(JSON.stringify(template.toJSON())).not.toContain("events.amazonaws.com");
  });
});

describe("the queue", () => {
  it("gets the topic's notices, delivers again after a crash, and gives up after 80 receives", () => {
    const template = usualTemplate;
    const queue = { "Fn::GetAtt": [Match.stringLikeRegexp("InboxQueue"), "Arn"] };
    const dead = { "Fn::GetAtt": [Match.stringLikeRegexp("InboxDeadLetters"), "Arn"] };
    template.hasResourceProperties("AWS::SQS::Queue", {
      VisibilityTimeout: 130,
      SqsManagedSseEnabled: true,
      RedrivePolicy: { deadLetterTargetArn: dead, maxReceiveCount: 80 },
      MessageRetentionPeriod: 14 * 24 * 3600,
    });
    template.hasResourceProperties("AWS::SNS::Subscription", {
      Protocol: "sqs",
      Endpoint: queue,
      RedrivePolicy: { deadLetterTargetArn: dead },
    });
    template.hasResourceProperties("AWS::Lambda::EventSourceMapping", {
      EventSourceArn: queue,
      FunctionName: { Ref: Match.stringLikeRegexp("NodeFunction") },
      BatchSize: 10,
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      ScalingConfig: { MaximumConcurrency: 10 },
    });
  });
});

describe("the dead letters", () => {
  it("have room for each message of the queue together with its reason", () => {
    const most = 1_040_384;
    const reason = "Fault".length + "String".length + 1000 * "\\uffff".length;
    usualTemplate.hasResourceProperties("AWS::SQS::Queue", {
      MaximumMessageSize: most,
      RedrivePolicy: Match.anyValue(),
    });
    expect(most + reason).toBeLessThanOrEqual(1024 ** 2);
  });

  it("are kept for 14 days, and encrypted", () => {
    usualTemplate.hasResourceProperties("AWS::SQS::Queue", {
      RedrivePolicy: Match.absent(),
      SqsManagedSseEnabled: true,
      MessageRetentionPeriod: 14 * 24 * 3600,
    });
  });
});

describe("the function", () => {
  const roles = ["arn:aws:iam::123456789012:role/one", "arn:aws:iam::123456789012:role/b/two"];

  it("passes the roles that it is told of, or any of the account", () => {
    const passes = (template: Template, Resource: unknown) =>
      template.hasResourceProperties("AWS::IAM::Policy", {
        Roles: [{ Ref: Match.stringLikeRegexp("NodeRole") }],
        PolicyDocument: {
          Statement: Match.arrayWith([Match.objectLike({ Action: "iam:PassRole", Resource })]),
        },
      });
    passes(synthesised({ nodeRoleArns: roles }), roles);
    passes(deployed(() => ({ nodeRoles: roles })).template, roles);
    passes(ofAnyRole, { "Fn::Join": ["", Match.arrayWith([":iam::123456789012:role/*"])] });
  });

  it("makes access entries for no other roles than those that it is told of", () => {
    const StringEquals = { "eks:accessEntryType": ["EC2_LINUX", "EC2_WINDOWS"] };
    const makes = (template: Template, Condition: unknown) =>
      template.hasResourceProperties("AWS::IAM::Policy", {
        PolicyDocument: {
          Statement: Match.arrayWith([
            Match.objectLike({ Action: "eks:CreateAccessEntry", Condition }),
          ]),
        },
      });
    makes(synthesised({ nodeRoleArns: roles }), {
      StringEquals,
      ArnEquals: { "eks:principalArn": roles },
    });
    makes(ofAnyRole, { StringEquals });
  });

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

  it("is warned about when it may let in any role of the account", () => {
    const told = /may let any role of the account into the cluster/;
    const warnings = (props: Partial<NodeLifecycleProps>) =>
      Annotations.fromStack(ownLifecycle(() => props).stack).findWarning(
        "*",
        Match.stringLikeRegexp(told.source),
      ).length;
    expect(warnings({ nodeRoles: undefined })).toBe(1);
    expect(warnings({ nodeRoles: roles })).toBe(0);
    expect(warnings({ nodeRoles: undefined, hooks: { launching: "not held" } })).toBe(0);
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

  it("has invocations of its own where that is asked for, at least as many as batches", () => {
    const reserved = (reservedConcurrency: number) => ({ function: { reservedConcurrency } });
    const drains = { Description: Match.stringLikeRegexp("Drains") };
    const file = { function: { ...sample.function, reservedConcurrency: 12 } };
    for (const template of [deployed(() => reserved(12)).template, synthesised(file)])
      template.hasResourceProperties("AWS::Lambda::Function", {
        ...drains,
        ReservedConcurrentExecutions: 12,
      });
    usualTemplate.hasResourceProperties("AWS::Lambda::Function", {
      ...drains,
      ReservedConcurrentExecutions: Match.absent(),
    });
    expect(() => deployed(() => reserved(9))).toThrow("less than the 10 batches");
  });

  it("and the deployer keep all their logs for as long as is asked for", () => {
    const file = { function: { ...sample.function, logRetentionDays: 14 } } as const;
    const groups = Object.values(resourcesOf(synthesised(file))).filter(
      ({ Type }) => Type === "AWS::Logs::LogGroup",
    );
    expect(groups.map(({ Properties: { RetentionInDays: days } }) => days)).toEqual([14, 14, 14]);
  });

  it("runs the bundle on Node.js 24 and ARM in the cluster's network, which lets it in", () => {
    const template = usualTemplate;
    const own = { "Fn::GetAtt": [Match.stringLikeRegexp("NetworkSecurityGroup"), "GroupId"] };
    template.hasResourceProperties("AWS::Lambda::Function", {
      Runtime: "nodejs24.x",
      Architectures: ["arm64"],
      Handler: "index.handler",
      Timeout: 120,
      MemorySize: 512,
      VpcConfig: { SubnetIds: ["subnet-0123456789abcdef0"], SecurityGroupIds: [own] },
      LoggingConfig: { LogGroup: { Ref: Match.stringLikeRegexp("NodeLogs") } },
    });
    template.hasResourceProperties("AWS::EC2::SecurityGroupIngress", {
      GroupId: "sg-0123456789abcdef0",
      SourceSecurityGroupId: own,
      FromPort: 443,
      ToPort: 443,
    });
    template.hasResourceProperties("AWS::Logs::LogGroup", { RetentionInDays: 30 });
  });
});

describe("the tags of a cluster's file", () => {
  it.each([
    "AWS::SNS::Topic",
    "AWS::SQS::Queue",
    "AWS::Lambda::Function",
    "AWS::IAM::Role",
    "AWS::KMS::Key",
  ])("are on every %s", (type) => {
    const template = synthesised({ tags: { team: "nodes", "cost-centre": "42" } });
    const tags = Match.arrayWith([
      { Key: "cost-centre", Value: "42" },
      { Key: "team", Value: "nodes" },
    ]);
    template.allResourcesProperties(type, { Tags: tags });
  });
});

describe("the access to the cluster", () => {
  const rights = (template: Template) =>
    Object.values(resourcesOf(template)).find(
      ({ Type }) => Type === "Custom::EksNodeLifecycleAccess",
    )?.Properties;

  it("is an access entry of the function's role, without a policy, in the group that RBAC knows", () => {
    const template = usualTemplate;
    template.hasResourceProperties("AWS::EKS::AccessEntry", {
      PrincipalArn: { "Fn::GetAtt": [Match.stringLikeRegexp("NodeRole"), "Arn"] },
      KubernetesGroups: ["eks-node-lifecycle"],
      AccessPolicies: Match.absent(),
    });
    template.hasResourceProperties("AWS::EKS::AccessEntry", {
      PrincipalArn: { "Fn::GetAtt": [Match.stringLikeRegexp("DeployerRole"), "Arn"] },
      KubernetesGroups: Match.absent(),
    });
  });

  it("may delete pods only if drains may be forced", () => {
    expect(rights(usualTemplate)?.Force).toBe("at-deadline");
    const never = deployed(() => ({ drain: { force: "never" } })).template;
    expect(rights(never)?.Force).toBe("never");
  });

  it.each<[string, Partial<NodeLifecycleProps>]>([
    ["none", {}],
    ["read", { authenticationMode: "API_AND_CONFIG_MAP" }],
    ["edit", { authenticationMode: "API_AND_CONFIG_MAP", launch: { access: "aws-auth" } }],
    ["none", { authenticationMode: "API_AND_CONFIG_MAP", hooks: { launching: "not held" } }],
  ])("says what aws-auth is for: %s, with %j", (use, props) => {
    expect(rights(deployed(() => props).template)?.AwsAuth).toBe(use);
  });

  it("limits the function to the taint that it puts on nodes", () => {
    const tainting = (taint: string) => rights(deployed(() => ({ drain: { taint } })).template);
    const taint = "example.com/draining=true:NoSchedule";
    expect(tainting(taint)?.OwnTaint).toBe(taint);
    expect(rights(usualTemplate)?.OwnTaint).toBe("");
  });

  it("can be read by the deployer, and is applied again by every new bundle of it", () => {
    const properties = rights(usualTemplate);
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

  it("comes within a quarter of an hour, or the deployment fails", () => {
    const seconds = Number(rights(usualTemplate)?.ServiceTimeout);
    expect(seconds).toBeGreaterThan(accessTimeoutSeconds);
    expect(seconds).toBeLessThanOrEqual(900);
  });

  it("let the function make room only where the deployment wants that, and then a schedule has counts put back", () => {
    const { template } = deployed(() => ({ drain: { makeRoom: "annotated" } }));
    const schedule = { ScheduleExpression: "rate(15 minutes)" };
    expect(rights(template)).toMatchObject({ MakeRoom: "annotated" });
    template.resourcePropertiesCountIs("AWS::Events::Rule", schedule, 1);
    usualTemplate.resourcePropertiesCountIs("AWS::Events::Rule", schedule, 0);
  });

  it("limits the function to the roles of nodes, where they are named", () => {
    const nodeRoles = ["arn:aws:iam::123456789012:role/team/nodes"];
    expect(rights(deployed(() => ({ nodeRoles })).template)?.NodeRoles).toEqual(nodeRoles);
    expect(rights(ofAnyRole)?.NodeRoles).toBeUndefined();
  });

  it("keep a priority level of the API server for the function, if the deployment wants that", () => {
    const { template } = deployed(() => ({ apiPriority: "own" }));
    expect(rights(template)).toMatchObject({ ApiPriority: "own" });
    expect(rights(usualTemplate)).not.toHaveProperty("ApiPriority");
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

  it("is one mapping to add by hand where only aws-auth gives access", () => {
    const { template } = deployed(() => ({ authenticationMode: "CONFIG_MAP" }));
    template.resourceCountIs("AWS::EKS::AccessEntry", 0);
    template.resourceCountIs("Custom::EksNodeLifecycleAccess", 0);
    template.hasOutput("*", {
      Value: {
        "Fn::Join": [
          "",
          [
            "- rolearn: ",
            { "Fn::GetAtt": [Match.stringLikeRegexp("NodeRole"), "Arn"] },
            "\n  username: eks-node-lifecycle\n  groups:\n    - eks-node-lifecycle\n",
          ],
        ],
      },
    });
  });
});
