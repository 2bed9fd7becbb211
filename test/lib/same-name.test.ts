import { expect, it } from "vitest";
import type { StackConfig } from "../../lib/node-lifecycle-stack.ts";
import { everythingOn } from "./everything-on.ts";
import { resourcesOf, sample, synthesised } from "./synthesised.ts";

/** What names a resource in AWS, and what becomes of it when CloudFormation makes it under another logical id and then deletes the old one. */
interface Named {
  /** The properties that name it; none if CloudFormation or the service gives it a name that nothing else has. */
  readonly by: readonly string[];
  /** What the clean-up would do, and why it never comes to that. Every reason relies on logical ids that stay (logical-ids.test.ts). */
  readonly safe: string;
}

const ownName: Named = { by: [], safe: "the new one has another name or id than the old one" };
const sameName = (by: readonly string[], safe: string): Named => ({ by, safe });

const rows: Readonly<Record<string, Named>> = {
  "AWS::AutoScaling::LifecycleHook": sameName(
    ["AutoScalingGroupName", "LifecycleHookName"],
    "the clean-up would delete the new hook by its name; the id has the group, and the kind of the hook, of which a group has one",
  ),
  "AWS::CloudFormation::WaitConditionHandle": ownName,
  "AWS::CloudWatch::Alarm": ownName,
  "AWS::CloudWatch::Dashboard": sameName(
    ["DashboardName"],
    "the clean-up would delete the new dashboard by its name; a stack has one, and the name has the stack's, which makes another stack",
  ),
  "AWS::EC2::SecurityGroup": ownName,
  "AWS::EC2::SecurityGroupEgress": sameName(
    ["GroupId", "IpProtocol", "FromPort", "ToPort", "DestinationSecurityGroupId"],
    "EC2 refuses the second rule, and the update fails; the id has the peer and the port",
  ),
  "AWS::EC2::SecurityGroupIngress": sameName(
    ["GroupId", "IpProtocol", "FromPort", "ToPort", "SourceSecurityGroupId"],
    "EC2 refuses the second rule, and the update fails; the id has the peer and the port",
  ),
  "AWS::EC2::VPCEndpoint": sameName(
    ["VpcId", "ServiceName"],
    "EC2 refuses a second endpoint with private DNS, and the update fails; the id has the service",
  ),
  "AWS::EKS::AccessEntry": sameName(
    ["ClusterName", "PrincipalArn"],
    "EKS refuses a second entry, and the update fails; the entries of nodes are kept, and have the role in their id",
  ),
  "AWS::Events::Rule": ownName,
  "AWS::IAM::ManagedPolicy": ownName,
  "AWS::IAM::Policy": sameName(
    ["PolicyName", "Roles"],
    "CDK makes the name of the logical id, so that another id gives another name",
  ),
  "AWS::IAM::Role": ownName,
  "AWS::KMS::Key": ownName,
  "AWS::Lambda::EventInvokeConfig": sameName(
    ["FunctionName", "Qualifier"],
    "the clean-up would leave the function Lambda's own retries; a function has one",
  ),
  "AWS::Lambda::EventSourceMapping": sameName(
    ["EventSourceArn", "FunctionName"],
    "Lambda refuses a second mapping of the queue and the function, and the update fails; a queue has one",
  ),
  "AWS::Lambda::Function": ownName,
  "AWS::Lambda::Permission": ownName,
  "AWS::Logs::LogGroup": ownName,
  "AWS::Logs::MetricFilter": ownName,
  "AWS::Logs::QueryDefinition": ownName,
  "AWS::Logs::SubscriptionFilter": ownName,
  "AWS::SNS::Subscription": sameName(
    ["TopicArn", "Protocol", "Endpoint"],
    "SNS answers with the old ARN, and the clean-up would unsubscribe by it; a queue has one, and its id says nothing about the topic",
  ),
  "AWS::SNS::Topic": ownName,
  "AWS::SNS::TopicPolicy": sameName(
    ["Topics"],
    "the clean-up would take the policy off the topic; a topic has one",
  ),
  "AWS::SQS::Queue": ownName,
  "AWS::SQS::QueuePolicy": sameName(
    ["Queues"],
    "the clean-up would take the policy off the queue; a queue has one",
  ),
  "Custom::EksNodeLifecycleAccess": sameName(
    ["ClusterName"],
    "the objects in the cluster name their owners, and stay as long as one is left (decision 11)",
  ),
  "Custom::EksNodeLifecycleHooks": sameName(
    ["Groups", "Hooks"],
    "the clean-up would delete the new hooks; a stack has one",
  ),
};

/** The properties by which a template may name a resource itself. */
const naming =
  /^(AlarmName|FilterName|FunctionName|GroupName|KeyId|LayerName|LogGroupName|ManagedPolicyName|QueueName|RoleName|TopicName)$/;
/** The properties of that name that say what a resource is about. */
const about = new Set([
  "AWS::Lambda::Permission FunctionName",
  "AWS::Logs::MetricFilter LogGroupName",
  "AWS::Logs::SubscriptionFilter LogGroupName",
]);

const configs: readonly Partial<StackConfig>[] = [
  everythingOn,
  { ...everythingOn, hooksMadeAs: "asked", privateEndpoints: ["sqs"] },
  {
    launch: { ...sample.launch, access: "at deployment" },
    nodeRoleArns: everythingOn.nodeRoleArns,
  },
];
const resources = configs.flatMap((config) => Object.entries(resourcesOf(synthesised(config))));

it("every type of resource has a row about what its replacement may cost, and every row is about one", () => {
  const types = new Set(resources.map(([, { Type }]) => Type));
  const onlyInOwnApps = ["AWS::EC2::SecurityGroupEgress"];

  expect(new Set([...types, ...onlyInOwnApps])).toEqual(new Set(Object.keys(rows)));
});

it("what CloudFormation or the service names has no name of the template's", () => {
  const named = resources.flatMap(([id, { Type, Properties }]) =>
    rows[Type] === ownName
      ? Object.keys(Properties)
          .filter((key) => naming.test(key) && !about.has(`${Type} ${key}`))
          .map((key) => `${id}: ${Type} ${key}`)
      : [],
  );

  expect(named).toEqual([]);
});

it("no two resources of a stack have the same name, so that none ends with the other", () => {
  for (const config of configs) {
    const names = Object.entries(resourcesOf(synthesised(config))).flatMap(
      ([, { Type, Properties }]) => {
        const its: Readonly<Record<string, unknown>> = Properties;
        const by = rows[Type]?.by ?? [];
        return by.length === 0 ? [] : [JSON.stringify([Type, ...by.map((key) => its[key])])];
      },
    );

    expect(names).toEqual([...new Set(names)]);
  }
});
