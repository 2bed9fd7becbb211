import { seconds } from "../../lambda/base/time.ts";
import type {
  DeploymentSpec,
  FunctionToDeploy,
  MappingToDeploy,
  QueueToDeploy,
  TopicToDeploy,
} from "../deployment.ts";
import { bundleIn } from "../lambda/lambda-service.ts";
import type { StackNames } from "./stack-names.ts";
import type { Stack } from "./stack-policies.ts";
import { properties } from "./template-schema.ts";

/** Translates a template into a deployment, in which each name is a logical id. */
export function specOf(stack: Stack): DeploymentSpec {
  const roles = stack.resources.of("AWS::IAM::Role", properties.role);
  const mappings = mappingsOf(stack);
  return {
    roles: roles.map(({ id: name }) => ({ name, path: "/" })),
    queues: queuesOf(stack),
    topics: topicsOf(stack),
    functions: functionsOf(stack, mappings),
    mappings,
  };
}

const queuesOf = ({ resources, names }: Stack): readonly QueueToDeploy[] =>
  resources.of("AWS::SQS::Queue", properties.queue).map(({ id: name, its }) => ({
    name,
    visibility: seconds(its.VisibilityTimeout),
    retention: seconds(its.MessageRetentionPeriod),
    redrive:
      its.RedrivePolicy === undefined
        ? { kind: "none" }
        : {
            kind: "dead-letters",
            to: names.idOf(its.RedrivePolicy.deadLetterTargetArn),
            maxReceives: its.RedrivePolicy.maxReceiveCount,
          },
  }));

function topicsOf(stack: Stack): readonly TopicToDeploy[] {
  const { resources, names } = stack;
  const subscriptions = resources.of("AWS::SNS::Subscription", properties.subscription);
  return resources.of("AWS::SNS::Topic", properties.topic).map(({ id: name }) => ({
    name,
    subscriptions: subscriptions
      .filter(({ its }) => names.idOf(its.TopicArn) === name)
      .map(({ its: { Endpoint, RawMessageDelivery: raw } }) => ({
        queue: names.idOf(Endpoint),
        delivery: raw ? ("raw" as const) : ("enveloped" as const),
      }))
      .filter(({ queue }) => maySend(stack, name, queue)),
  }));
}

/** Whether a queue's policy lets a topic send. SNS reports no error when it does not. */
function maySend({ names, policies }: Stack, topic: string, queue: string): boolean {
  const context = { "aws:SourceArn": names.arn(topic), "aws:SecureTransport": "true" };
  const request = { action: "sqs:SendMessage", resource: names.arn(queue), context };
  const attempt = { by: "sns.amazonaws.com", ...request };
  return policies.ofResource(names.text({ Ref: queue }), attempt) === "allowed";
}

const mostPollers = 4; // each may keep a process of its own busy, and a laptop has few cores

const mappingsOf = ({ resources, names }: Stack): readonly MappingToDeploy[] =>
  resources.of("AWS::Lambda::EventSourceMapping", properties.mapping).map(({ its }) => ({
    queue: names.idOf(its.EventSourceArn),
    function: names.idOf(names.functionArn(its.FunctionName)),
    settings: {
      batchSize: its.BatchSize,
      window: seconds(0),
      maximumConcurrency: Math.min(its.ScalingConfig.MaximumConcurrency, mostPollers),
      responses: its.FunctionResponseTypes.includes("ReportBatchItemFailures")
        ? "report-batch-item-failures"
        : "all-or-nothing",
    },
  }));

function functionsOf(
  { resources, names, bundle }: Stack,
  mappings: readonly MappingToDeploy[],
): readonly FunctionToDeploy[] {
  return resources.of("AWS::Lambda::Function", properties.function).flatMap(({ id: name, its }) => {
    const { S3Key: key } = its.Code;
    if (key === undefined) return []; // its code is in the template, and works for CloudFormation alone
    return {
      name,
      role: names.idOf(its.Role),
      timeout: seconds(its.Timeout),
      memory: its.MemorySize,
      concurrency: mappings.find((one) => one.function === name)?.settings.maximumConcurrency ?? 1,
      ...(its.LoggingConfig && { logGroup: names.text(its.LoggingConfig.LogGroup) }),
      code: bundleIn(bundle(key.replace(/\.zip$/, "")), its.Handler),
      environment: () => textsOf(its.Environment.Variables, names),
    };
  });
}

const textsOf = (values: Readonly<Record<string, unknown>>, names: StackNames) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, names.text(value)]));
