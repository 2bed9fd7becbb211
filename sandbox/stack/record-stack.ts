import { amend } from "../aws/records.ts";
import type { DeploymentWorld } from "../deployment.ts";
import { type Synthesised, stackOf } from "./deploy-template.ts";
import type { Stack } from "./stack-policies.ts";
import {
  attributes,
  functionReader,
  groupReader,
  ingressReader,
  policyReader,
  properties,
  ruleReader,
} from "./template-schema.ts";

/** Records what the APIs of an account describe of a deployed stack: its outputs, and each of its resources. */
export function recordStack(name: string, synthesised: Synthesised, world: DeploymentWorld): void {
  const stack = stackOf(synthesised, world, name);
  const { aws, names } = stack;
  const { Outputs, Resources } = synthesised.template;
  const outputs = Object.entries(Outputs).map(([key, { Value }]) => [key, names.text(Value)]);
  aws.records.addStack(name, Object.fromEntries(outputs));
  aws.records.stackResources.set(
    name,
    Object.entries(Resources).map(([id, { Type: ResourceType }]) => ({
      LogicalResourceId: id,
      PhysicalResourceId: id,
      ResourceType,
      ResourceStatus: "CREATE_COMPLETE" as const,
      LastUpdatedTimestamp: new Date(0),
    })),
  );
  recordTopics(stack);
  recordPolicies(stack);
  recordSubscriptions(stack);
  recordFunctions(stack);
  recordNetwork(stack);
  recordWatch(stack);
  for (const { id } of stack.resources.of("AWS::Logs::LogGroup", attributes)) aws.logs.create(id);
}

/** The topics and their keys. */
function recordTopics({ aws: { records }, resources, names }: Stack): void {
  for (const { id, its } of resources.of("AWS::SNS::Topic", properties.topic)) {
    const KmsMasterKeyId = names.text(its.KmsMasterKeyId ?? "");
    records.topics.set(names.arn(id), KmsMasterKeyId === "" ? {} : { KmsMasterKeyId });
  }
  for (const { id } of resources.of("AWS::KMS::Key", properties.key))
    records.keys.set(names.arn(id), { KeyId: id, Arn: names.arn(id), KeyState: "Enabled" });
}

/** The policies of topics and queues. */
function recordPolicies({ aws: { records }, resources, names }: Stack): void {
  const json = (value: unknown) => JSON.stringify(names.deep(value));
  for (const { its } of resources.of("AWS::SNS::TopicPolicy", policyReader)) {
    const arn = names.text(its.Topics[0]);
    records.topics.set(arn, { ...records.topics.get(arn), Policy: json(its.PolicyDocument) });
  }
  for (const { its } of resources.of("AWS::SQS::QueuePolicy", policyReader)) {
    const name = names.text(its.Queues[0]).split("/").at(-1) ?? "";
    records.queues.set(name, { Policy: json(its.PolicyDocument) });
  }
}

/** The subscriptions. */
function recordSubscriptions({ aws: { records }, resources, names }: Stack): void {
  for (const { id, its } of resources.of("AWS::SNS::Subscription", properties.subscription)) {
    const [TopicArn, Endpoint] = [names.text(its.TopicArn), names.text(its.Endpoint)];
    records.subscriptions.set(`${TopicArn}:${id}`, {
      TopicArn,
      Endpoint,
      Protocol: its.Protocol,
      PendingConfirmation: "false",
      RedrivePolicy: JSON.stringify(names.deep(its.RedrivePolicy)),
    });
  }
}

/** The functions and the mappings. */
function recordFunctions({ aws, resources, names }: Stack): void {
  const { records } = aws;
  for (const { id, its } of resources.of("AWS::Lambda::Function", functionReader)) {
    const { VpcConfig: vpc } = its;
    amend(records.functions, id, {
      Runtime: its.Runtime as "nodejs24.x",
      ...(vpc !== undefined && {
        VpcConfig: {
          SubnetIds: vpc.SubnetIds.map((one) => names.text(one)),
          SecurityGroupIds: vpc.SecurityGroupIds.map((one) => names.text(one)),
          VpcId: "vpc-0a1b2c3d4e5f60718",
        },
      }),
    });
  }
  for (const { id, its } of resources.of("AWS::Lambda::EventSourceMapping", properties.mapping))
    records.mappings.set(id, {
      UUID: id,
      State: "Enabled",
      BatchSize: its.BatchSize,
      MaximumBatchingWindowInSeconds: 0,
      ScalingConfig: its.ScalingConfig,
      EventSourceArn: names.text(its.EventSourceArn),
      FunctionArn: names.functionArn(its.FunctionName),
      FunctionResponseTypes: ["ReportBatchItemFailures"],
      LastProcessingResult: "OK",
    });
}

/** The security groups of the stack, and what it lets into others. */
function recordNetwork({ aws: { records }, resources, names }: Stack): void {
  const { securityGroups } = records;
  for (const { id, its } of resources.of("AWS::EC2::SecurityGroup", groupReader)) {
    const IpPermissionsEgress = its.SecurityGroupEgress.map(({ CidrIp, ...rule }) => ({
      ...rule,
      IpRanges: CidrIp === undefined ? [] : [{ CidrIp }],
    }));
    securityGroups.set(id, { GroupId: id, IpPermissions: [], IpPermissionsEgress });
  }
  for (const { its } of resources.of("AWS::EC2::SecurityGroupIngress", ingressReader)) {
    const { GroupId, SourceSecurityGroupId, ...rule } = its;
    const before = securityGroups.get(GroupId);
    const UserIdGroupPairs = [{ GroupId: names.text(SourceSecurityGroupId) }];
    const IpPermissions = [...(before?.IpPermissions ?? []), { ...rule, UserIdGroupPairs }];
    securityGroups.set(GroupId, { ...before, GroupId, IpPermissions });
  }
}

/** The rules and the alarms. */
function recordWatch({ aws: { records }, resources, names }: Stack): void {
  for (const { id, its } of resources.of("AWS::Events::Rule", ruleReader))
    records.rules.set(id, {
      rule: {
        Name: id,
        Arn: names.arn(id),
        EventPattern: JSON.stringify(its.EventPattern),
        State: its.State === "ENABLED" ? "ENABLED" : "DISABLED",
      },
      targets: its.Targets.map(({ Id, Arn, DeadLetterConfig }) => ({
        Id,
        Arn: names.text(Arn),
        DeadLetterConfig: { Arn: names.text(DeadLetterConfig?.Arn ?? "") },
      })),
    });
  for (const { id } of resources.of("AWS::CloudWatch::Alarm", attributes))
    records.alarms.set(id, { AlarmName: id, StateValue: "OK", ActionsEnabled: true });
}
