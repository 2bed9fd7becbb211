import type { Template } from "aws-cdk-lib/assertions";
import { everythingOn } from "./everything-on.ts";
import { resourcesOf, synthesised } from "./synthesised.ts";

/** The types whose resources hold something that an update must not lose, or that others name; and the properties that name them. */
const stateful: Readonly<Record<string, readonly string[]>> = {
  "AWS::AutoScaling::LifecycleHook": [
    "LifecycleHookName",
    "AutoScalingGroupName",
    "LifecycleTransition",
  ],
  "AWS::CloudWatch::Dashboard": ["DashboardName"],
  "AWS::EC2::SecurityGroupIngress": ["GroupId", "SourceSecurityGroupId"],
  "AWS::EKS::AccessEntry": ["ClusterName", "PrincipalArn"],
  "AWS::IAM::Role": ["RoleName", "Path"],
  "AWS::KMS::Key": [],
  "AWS::Lambda::EventSourceMapping": ["EventSourceArn", "FunctionName"],
  "AWS::Lambda::Function": ["FunctionName"],
  "AWS::Logs::LogGroup": ["LogGroupName"],
  "AWS::SNS::Subscription": ["TopicArn", "Protocol", "Endpoint"],
  "AWS::SNS::TopicPolicy": ["Topics"],
  "AWS::SQS::QueuePolicy": ["Queues"],
  "AWS::SNS::Topic": ["TopicName"],
  "AWS::SQS::Queue": ["QueueName", "FifoQueue"],
  "Custom::EksNodeLifecycleAccess": [],
};

/** The stateful resources of a template by logical id: their types, and what they are named by. */
export type Stateful = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const statefulIn = (template: Template): Stateful =>
  Object.fromEntries(
    Object.entries(resourcesOf(template)).flatMap(([id, { Type, Properties }]) => {
      const named = stateful[Type];
      if (named === undefined) return [];
      const properties: Readonly<Record<string, unknown>> = Properties;
      return [
        [id, { Type, ...Object.fromEntries(named.map((key) => [key, properties[key] ?? null])) }],
      ];
    }),
  );

/** The stateful resources of the sample's stack, and of one with everything on. */
export const allStateful = (): Readonly<Record<"sample" | "everything on", Stateful>> => ({
  sample: statefulIn(synthesised()),
  "everything on": statefulIn(synthesised(everythingOn)),
});
