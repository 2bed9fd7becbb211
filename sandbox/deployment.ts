import { type Duration, hours, milliseconds, seconds } from "../lambda/domain/time.ts";
import type { Aws } from "./aws/aws.ts";
import type { Queue } from "./aws/sqs/queue.ts";
import { EventSourceMapping, type MappingSettings } from "./lambda/event-source-mapping.ts";
import type { Invocable } from "./lambda/invocation.ts";
import { LambdaService } from "./lambda/lambda-service.ts";
import type { LogListener } from "./lambda/log-line.ts";
import type { Scenario } from "./scenario.ts";

/** Where the function finds what it works with. */
export interface Place {
  readonly clusterName: string;
  readonly managedGroups: readonly string[];
  readonly queueUrl: string;
  readonly deadLetterQueueUrl: string;
}

/** The function to deploy, and how. */
export interface DeployedFunction {
  /** The folder with its bundle, `index.cjs`. */
  readonly folder: string;
  readonly timeout: Duration;
  /** Its environment in a place. */
  environment(place: Place): Readonly<Record<string, string>>;
  /** How long a message stays invisible once it is received. @default the function's timeout and ten seconds, as the stack has it */
  readonly visibility?: Duration;
}

/** Where everything is served. */
export interface Addresses {
  /** What `AWS_ENDPOINT_URL` must be. */
  readonly awsUrl: string;
  queueUrl(name: string): string;
}

/** The topic, the queue behind it and the function behind that. */
export interface Deployment {
  readonly topicArn: string;
  readonly queue: Queue;
  readonly deadLetters: Queue;
  readonly lambda: LambdaService;
  readonly mapping: EventSourceMapping;
  /** Receives nothing more, and ends every process of the function. */
  stop(): Promise<void>;
}

/** What is deployed, where, and who hears of it. */
export interface DeploymentSpec {
  readonly aws: Aws;
  readonly scenario: Scenario;
  readonly addresses: Addresses;
  readonly deployed: DeployedFunction;
  readonly log: LogListener;
}

const maxReceives = 1000;
const memory = 512;
const concurrency = 10;
const usualMapping: MappingSettings = {
  batchSize: 10,
  window: seconds(0),
  maximumConcurrency: 2,
  responses: "report-batch-item-failures",
};
// As the stack has it: soon after a crash, and never while the function is still at work.
const grace = seconds(10);

/** Deploys topic, queue, dead letters and function, as the stack does. */
export function deploy({ aws, scenario, addresses, deployed, log }: DeploymentSpec): Deployment {
  const { topic, clusterName, managedGroups } = scenario;
  const queues = queuesFor(aws, topic, deployed);
  const topicArn = aws.sns.createTopic(topic);
  aws.sns.subscribe(topicArn, { kind: "queue", queue: queues.queue, delivery: "enveloped" });
  const place = {
    clusterName,
    managedGroups,
    queueUrl: addresses.queueUrl(queues.queue.settings.name),
    deadLetterQueueUrl: addresses.queueUrl(queues.deadLetters.settings.name),
  };
  const environment = { ...deployed.environment(place), AWS_ENDPOINT_URL: addresses.awsUrl };
  const lambda = functionFor({ aws, scenario, deployed, log }, environment);
  return { topicArn, ...queues, lambda, ...mapQueue(aws, { queue: queues.queue, lambda }) };
}

function queuesFor(
  aws: Aws,
  topic: string,
  { timeout, visibility = milliseconds(timeout + grace) }: DeployedFunction,
) {
  const deadLetters = aws.sqs.createQueue({ name: `${topic}-dead-letters`, retention: days(14) });
  const queue = aws.sqs.createQueue({
    name: topic,
    visibility,
    retention: days(14),
    redrive: { kind: "dead-letters", to: deadLetters, maxReceives },
  });
  return { queue, deadLetters };
}

function functionFor(
  { aws, scenario, deployed, log }: Omit<DeploymentSpec, "addresses">,
  environment: Readonly<Record<string, string>>,
): LambdaService {
  const { folder, timeout } = deployed;
  const { timeline, account, keys, iam } = aws;
  const role = iam.createRole({ ...scenario.functionRole, service: "lambda" });
  const { name } = role;
  const code = { folder, handler: "index.handler" };
  return new LambdaService(
    { name, ...code, environment, timeout, memory, concurrency },
    {
      timeline,
      account,
      credentials: () => keys.assume({ role, sessionName: name, duration: hours(12) }),
      log,
    },
  );
}

/** Maps a queue to a function, and says how to end that. */
export function mapQueue(
  { timeline }: Aws,
  { queue, lambda }: { readonly queue: Queue; readonly lambda: LambdaService },
  settings: MappingSettings = usualMapping,
): Pick<Deployment, "mapping" | "stop"> {
  let state: "open" | "closed" = "open";
  const target: Invocable = {
    invoke: async (event) => (state === "open" ? lambda.invoke(event) : { kind: "throttled" }),
  };
  const mapping = new EventSourceMapping({ timeline, queue, target }, settings);
  const stop = async () => {
    state = "closed";
    const stopped = mapping.stop();
    lambda.close();
    await stopped;
  };
  return { mapping, stop };
}

const days = (count: number): Duration => hours(24 * count);
