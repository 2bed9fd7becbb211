import { channel } from "node:diagnostics_channel";
import { type Duration, hours, wholeSeconds } from "../lambda/base/time.ts";
import type { Credentials } from "./aws/access-keys.ts";
import type { Aws } from "./aws/aws.ts";
import type { IamName, IamRole } from "./aws/iam.ts";
import type { Queue, QueueSettings } from "./aws/queue.ts";
import type { Sns } from "./aws/sns.ts";
import type { Sqs } from "./aws/sqs.ts";
import { EventSourceMapping, type MappingSettings } from "./lambda/event-source-mapping.ts";
import type { Invocable, LogLine, LogListener, RunningFunction } from "./lambda/invocation.ts";
import type { FunctionCode, FunctionSettings } from "./lambda/lambda-service.ts";

/** The URLs at which the sandbox serves an account. */
export interface Addresses {
  /** The value for `AWS_ENDPOINT_URL`. */
  readonly url: string;
  /** The URL of a queue, by its name. */
  queueUrl(name: string): string;
}

/** Where a function is, as far as its environment says so. */
export interface FunctionPlace extends Addresses {
  /** The id of its role. */
  readonly roleId: string;
}

/** A queue to deploy. */
export interface QueueToDeploy extends Pick<QueueSettings, "name" | "retention" | "visibility"> {
  /** Where SQS moves a message that was received too often. */
  readonly redrive:
    | { readonly kind: "none" }
    /** `to` is the name of another queue of the deployment. */
    | { readonly kind: "dead-letters"; readonly to: string; readonly maxReceives: number };
}

/** A topic to deploy, and the queues that subscribe to it. */
export interface TopicToDeploy {
  readonly name: string;
  readonly subscriptions: readonly {
    readonly queue: string;
    readonly delivery: "enveloped" | "raw";
  }[];
}

/** A function to deploy. */
export interface FunctionToDeploy extends Omit<FunctionSettings, "environment"> {
  /** The name of its role. */
  readonly role: string;
  readonly code: FunctionCode;
  /** Where its lines go. @default the log group that Lambda makes */
  readonly logGroup?: string;
  /** The environment of the function when the sandbox serves the account at these addresses. */
  environment(place: FunctionPlace): Readonly<Record<string, string>>;
}

/** An event source mapping to deploy: the function works on the messages of the queue. */
export interface MappingToDeploy {
  readonly queue: string;
  readonly function: string;
  readonly settings: MappingSettings;
}

/** A whole deployment, in which queues, roles and functions refer to each other by name. */
export interface DeploymentSpec {
  readonly roles: readonly IamName[];
  readonly queues: readonly QueueToDeploy[];
  readonly topics: readonly TopicToDeploy[];
  readonly functions: readonly FunctionToDeploy[];
  readonly mappings: readonly MappingToDeploy[];
}

/** The account to deploy into, its addresses, and the listener for the log lines of functions. */
export interface DeploymentWorld {
  readonly aws: Aws;
  readonly addresses: Addresses;
  readonly log: LogListener;
}

/** A topic, and the names of the queues that subscribe to it. */
export interface DeployedTopic {
  readonly arn: string;
  readonly queues: readonly string[];
}

/** A deployment, in which you find each part by its name. */
export interface Deployment {
  queue(name: string): Queue;
  topic(name: string): DeployedTopic;
  function(name: string): RunningFunction;
  /** The event source mapping of a queue, by the name of the queue. */
  mapping(queue: string): EventSourceMapping;
  readonly mappings: readonly EventSourceMapping[];
  /** Lets every mapping start to receive messages. */
  start(): void;
  /** Stops every mapping, and ends every process of the functions. */
  stop(): Promise<void>;
}

/** Creates the roles, queues, topics, functions and mappings of a deployment. */
export function deploy(spec: DeploymentSpec, world: DeploymentWorld): Deployment {
  const { aws } = world;
  const roles = spec.roles.map((role) => aws.iam.createRole({ ...role, service: "lambda" }));
  const role = byName("role", new Map(roles.map((one) => [one.name, one])));
  const queue = createQueues(spec, aws.sqs);
  const topic = createTopics(spec, queue, aws.sns);
  const functions = createFunctions(spec, role, world);
  const stopping = new AbortController();
  const find = { queue, topic, function: byName("function", functions) };
  const mapped = spec.mappings.map(({ queue: name, function: target, settings }) => {
    const open = untilAborted(find.function(target), stopping.signal);
    const ends = { timeline: aws.timeline, queue: queue(name), target: open };
    return [name, new EventSourceMapping(ends, settings)] as const;
  });
  const mappings = mapped.map(([, mapping]) => mapping);
  return {
    ...find,
    mapping: byName("mapping of queue", new Map(mapped)),
    mappings,
    start: () => {
      for (const mapping of mappings) mapping.start();
    },
    stop: async () => {
      stopping.abort();
      const stopped = mappings.map((mapping) => mapping.stop());
      for (const one of functions.values()) one.close();
      await Promise.all(stopped);
    },
  };
}

/** A line that a deployed function has logged, and all access keys of its account. */
export interface LoggedLine {
  readonly text: string;
  readonly keys: readonly Credentials[];
}

/** Where every line of every deployed function is told, so that somebody can search all of them. */
export const logged = channel("eks-node-lifecycle:logged-line");

type Find<T> = (name: string) => T;

const byName =
  <T>(kind: string, things: ReadonlyMap<string, T>): Find<T> =>
  (name) => {
    const thing = things.get(name);
    if (thing !== undefined) return thing;
    const others = [...things.keys()].join(", ") || "none";
    throw new Error(`no ${kind} ${name} is deployed; there are: ${others}`);
  };

/** Creates the queues without dead letters first, because the others refer to them. */
function createQueues({ queues: specs }: DeploymentSpec, sqs: Sqs): Find<Queue> {
  const queues = new Map<string, Queue>();
  const find = byName("queue", queues);
  const last = specs.filter(({ redrive }) => redrive.kind === "none");
  for (const spec of [...last, ...specs.filter((one) => !last.includes(one))]) {
    const { redrive } = spec;
    const made = redrive.kind === "none" ? redrive : { ...redrive, to: find(redrive.to) };
    queues.set(spec.name, sqs.createQueue({ ...spec, redrive: made }));
  }
  return find;
}

function createTopics({ topics }: DeploymentSpec, queue: Find<Queue>, sns: Sns) {
  const made = topics.map(({ name, subscriptions }): [string, DeployedTopic] => {
    const arn = sns.createTopic(name);
    for (const { queue: subscriber, delivery } of subscriptions)
      sns.subscribe(arn, { kind: "queue", queue: queue(subscriber), delivery });
    return [name, { arn, queues: subscriptions.map((one) => one.queue) }];
  });
  return byName("topic", new Map(made));
}

// The sandbox does not replace a process when its session ends, so the session outlasts every world.
const session: Duration = hours(24 * 7);

function createFunctions(
  { functions }: DeploymentSpec,
  find: Find<IamRole>,
  { aws, addresses, log }: DeploymentWorld,
): ReadonlyMap<string, RunningFunction> {
  const { timeline, account, keys, records } = aws;
  const heardFrom = (group: string) => (line: LogLine) => {
    aws.logs.write(group, line.text);
    if (logged.hasSubscribers)
      logged.publish({ text: line.text, keys: keys.all() } satisfies LoggedLine);
    log(line);
  };
  const made = functions.map(({ role: roleName, code, environment, logGroup, ...settings }) => {
    const { name } = settings;
    const group = logGroup ?? `/aws/lambda/${name}`;
    const role = find(roleName);
    const deployed = environment({ ...addresses, roleId: role.id });
    const variables = { ...deployed, AWS_ENDPOINT_URL: addresses.url };
    const { memory, timeout: limit } = settings;
    const timeout = wholeSeconds(limit);
    aws.logs.create(group);
    records.addFunction({ name, role: role.arn, environment: deployed, memory, timeout });
    const credentials = () => keys.assume({ role, sessionName: name, duration: session });
    const world = { timeline, account, credentials, log: heardFrom(group) };
    return [name, code({ ...settings, environment: variables }, world)] as const;
  });
  return new Map(made);
}

/**
 * Passes events on until a signal is aborted.
 * After that it throttles them, so that no process starts any more.
 */
const untilAborted = (target: Invocable, signal: AbortSignal): Invocable => ({
  invoke: async (event) => (signal.aborted ? { kind: "throttled" } : target.invoke(event)),
});
