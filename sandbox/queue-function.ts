import { productVersion } from "../lambda/base/contract.ts";
import { type Duration, hours, milliseconds, seconds } from "../lambda/base/time.ts";
import type { QueueUrls } from "../lambda/notice/queue.port.ts";
import { type Account, arnOf } from "./aws/account.ts";
import type { IamName } from "./aws/iam.ts";
import { queueDefaults } from "./aws/queue.ts";
import {
  type Deployment,
  type DeploymentSpec,
  type DeploymentWorld,
  deploy,
  type FunctionPlace,
  type FunctionToDeploy,
} from "./deployment.ts";
import type { MappingSettings } from "./lambda/event-source-mapping.ts";
import type { FunctionCode } from "./lambda/lambda-service.ts";

/** The names of a function, its stack, its topic and its queues. */
export interface QueueFunctionNames {
  readonly stack: string;
  readonly function: string;
  readonly topic: string;
  readonly queue: string;
  readonly deadLetters: string;
}

/** A function that works on the messages of a queue, which subscribes to a topic. */
export interface QueueFunctionSpec {
  readonly names: QueueFunctionNames;
  /** The role that the function runs as. */
  readonly role: IamName;
  readonly code: FunctionCode;
  /** The time limit of an invocation. */
  readonly timeout: Duration;
  /**
   * The time for which a received message stays invisible.
   * @default `timeout` plus 10 s, as in the stack
   */
  readonly visibility?: Duration;
  /** @default `usualMapping` */
  readonly mapping?: MappingSettings;
  environment(place: QueuePlace): Readonly<Record<string, string>>;
}

/** Where a function is, as far as its environment says so. */
export interface QueuePlace extends QueueUrls, Pick<FunctionPlace, "roleId"> {
  /** The ARNs of the topic and the queue. */
  readonly hookTargets: readonly string[];
}

/** The mapping of the stack, but with at most two batches at the same time. */
export const usualMapping: MappingSettings = {
  batchSize: 10,
  window: seconds(0),
  maximumConcurrency: 2,
  responses: "report-batch-item-failures",
};
const maxReceives = 80;
const retention = hours(24 * 14);
// A message comes back soon after a crash, and never while the function still works on it.
const grace = seconds(10);

/** Deploys a function with its topic, queue and dead-letter queue, as the stack does. */
export const deployQueueFunction = (made: QueueFunctionSpec, world: DeploymentWorld): Deployment =>
  deployQueueFunctions([made], world);

/** Deploys some functions together. */
export function deployQueueFunctions(
  made: readonly QueueFunctionSpec[],
  world: DeploymentWorld,
): Deployment {
  const { account } = world.aws;
  const deployment = deploy(together(made.map((one) => specOf(one, account))), world);
  for (const { names } of made) record(names, deployment.topic(names.topic).arn, world);
  return deployment;
}

/** Records the stack of a function, its mapping and its subscription, as AWS tells them. */
function record(
  names: QueueFunctionNames,
  TopicArn: string,
  { aws: { records, account }, addresses }: DeploymentWorld,
): void {
  const placeOf = (name: string) => ({
    url: addresses.queueUrl(name),
    arn: arnOf(account, "sqs", name),
  });
  const [queue, letters] = [placeOf(names.queue), placeOf(names.deadLetters)];
  const mapping = `mapping-of-${names.queue}`;
  records.addStack(names.stack, {
    FunctionName: names.function,
    LogGroupName: `/aws/lambda/${names.function}`,
    MappingId: mapping,
    QueueUrl: queue.url,
    QueueArn: queue.arn,
    DeadLettersUrl: letters.url,
    DeadLettersArn: letters.arn,
    TopicArn,
    Version: productVersion,
  });
  records.mappings.set(mapping, {
    UUID: mapping,
    State: "Enabled",
    EventSourceArn: queue.arn,
    FunctionArn: arnOf(account, "lambda", `function:${names.function}`),
    FunctionResponseTypes: ["ReportBatchItemFailures"],
    LastProcessingResult: "OK",
  });
  records.subscriptions.set(`${TopicArn}:${names.queue}`, {
    TopicArn,
    Endpoint: queue.arn,
    Protocol: "sqs",
    PendingConfirmation: "false",
    RedrivePolicy: JSON.stringify({ deadLetterTargetArn: letters.arn }),
  });
}

const together = (specs: readonly DeploymentSpec[]): DeploymentSpec => ({
  roles: specs.flatMap(({ roles }) => roles),
  queues: specs.flatMap(({ queues }) => queues),
  topics: specs.flatMap(({ topics }) => topics),
  functions: specs.flatMap(({ functions }) => functions),
  mappings: specs.flatMap(({ mappings }) => mappings),
});

function specOf(made: QueueFunctionSpec, account: Account): DeploymentSpec {
  const { names, role, timeout, mapping: settings = usualMapping } = made;
  const { visibility = milliseconds(timeout + grace) } = made;
  const redrive = { kind: "dead-letters", to: names.deadLetters, maxReceives } as const;
  const queue = { name: names.queue, visibility, retention, redrive };
  return {
    roles: [role],
    queues: [queue, { ...queueDefaults, name: names.deadLetters, retention }],
    topics: [{ name: names.topic, subscriptions: [{ queue: names.queue, delivery: "enveloped" }] }],
    functions: [functionOf(made, account)],
    mappings: [{ queue: names.queue, function: names.function, settings }],
  };
}

const functionOf = (
  { names, role, timeout, code, environment }: QueueFunctionSpec,
  account: Account,
) =>
  ({
    name: names.function,
    role: role.name,
    timeout,
    memory: 512,
    concurrency: 10,
    code,
    environment: ({ queueUrl, roleId }: FunctionPlace) =>
      environment({
        queueUrl: queueUrl(names.queue),
        deadLetterQueueUrl: queueUrl(names.deadLetters),
        roleId,
        hookTargets: [arnOf(account, "sns", names.topic), arnOf(account, "sqs", names.queue)],
      }),
  }) satisfies FunctionToDeploy;
