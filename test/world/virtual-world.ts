import type { Dated, Entry } from "../../journal/entry.ts";
import {
  type Duration,
  earliest,
  hours,
  type Instant,
  instant,
  later,
  seconds,
} from "../../lambda/base/time.ts";
import { parseConfig } from "../../lambda/config/config.ts";
import { noticeWork } from "../../lambda/node-work.flow.ts";
import type { Journal } from "../../lambda/notice/journal.port.ts";
import { parseRepairConfig } from "../../lambda/repair/repair-config.ts";
import { Aws } from "../../sandbox/aws/aws.ts";
import { AwsEndpoint } from "../../sandbox/aws/aws-endpoint.ts";
import type { Deployment } from "../../sandbox/deployment.ts";
import { joinInstancesAndNodes } from "../../sandbox/instances-and-nodes.ts";
import type { Authenticator } from "../../sandbox/kubernetes/api/authenticator.ts";
import { roleBasedAuthorizer } from "../../sandbox/kubernetes/api/authorizer.ts";
import type { Change } from "../../sandbox/kubernetes/change-log.ts";
import { pods } from "../../sandbox/kubernetes/core-resources.ts";
import { Random } from "../../sandbox/kubernetes/random.ts";
import { SandboxCluster } from "../../sandbox/kubernetes/sandbox-cluster.ts";
import type { FunctionCode } from "../../sandbox/lambda/lambda-service.ts";
import { deployQueueFunction } from "../../sandbox/queue-function.ts";
import { rbacManifest } from "../../sandbox/rbac-manifest.ts";
import { VirtualTimeline } from "../../sandbox/timeline.ts";
import { EventSource } from "./event-source.ts";
import { type FaultPlan, type FunctionRequest, type Meeting, well } from "./fault-plan.ts";
import { FunctionProcess } from "./function-process.ts";
import { InProcessFunction } from "./in-process-function.ts";
import { inPasses, passNow } from "./passes.ts";
import { settle } from "./settle.ts";
import { rest, withTimersOn } from "./virtual-timers.ts";
import {
  account,
  addresses,
  clusterName,
  instanceOf,
  type MakesWork,
  type WorldOptions,
  worldFunction,
} from "./world-options.ts";

/** Allows the requests that the deployed roles allow. */
const deployedRoles = roleBasedAuthorizer(rbacManifest());

/** Judges tokens as EKS does, and records every token that a request carries. */
function judgeOf(aws: Aws, shown: Set<string>): Authenticator {
  const judge = aws.authenticator(clusterName, () => undefined);
  return (token) => {
    shown.add(token);
    return judge(token);
  };
}

/** Random numbers from 0 up to 1, without 1; the same for the same seed. */
type Chance = () => number;

/** Makes the random numbers of a seed. */
function chanceOf(seed: number): Chance {
  const random = new Random(seed);
  return () => random.below(2 ** 32) / 2 ** 32;
}

/** Replaces `Math.random` during some work, because the SDK draws its pauses from it. */
async function withChance<T>(chance: Chance, work: () => Promise<T>): Promise<T> {
  const { random } = Math;
  Math.random = chance;
  try {
    return await work();
  } finally {
    Math.random = random;
  }
}

// More effects than this at one moment mean an endless loop.
const mostAtOnce = 50_000;

/** The end of a pod. */
export interface Departure {
  readonly name: string;
  readonly uid: string;
  readonly at: Instant;
}

/** A cluster and its Auto Scaling group in virtual time, where the function's own code works on its queue. */
export class VirtualWorld {
  readonly timeline = new VirtualTimeline(instant(Date.parse("2026-11-20T10:00:00Z")));
  readonly aws = new Aws(this.timeline, account);
  /** Every token that the function showed to the API server. */
  readonly tokens = new Set<string>();
  readonly cluster: SandboxCluster;
  readonly entries: Dated[] = [];
  /** Every request of the function, also those that failed. */
  readonly requests: FunctionRequest[] = [];
  /** Every pod that has ended, on any node. */
  readonly departures: Departure[] = [];
  readonly deployment: Deployment;
  /** The topic that hooks publish to. */
  readonly topicArn: string;
  /** Decides which requests fail, and how. */
  faults: FaultPlan = () => well;
  readonly #listeners: ((departure: Departure) => void)[] = [];
  readonly #source: EventSource;
  readonly #work: MakesWork;
  readonly #ahead: Duration;
  readonly #chance: Chance;
  #atOnce = 0;

  constructor(options: WorldOptions = {}) {
    const { aws, timeline } = this;
    this.cluster = new SandboxCluster(timeline, {
      authenticator: judgeOf(aws, this.tokens),
      authorizer: deployedRoles,
      ...(options.reaction === undefined ? {} : { reaction: options.reaction }),
    });
    this.#work = inPasses(options.work ?? noticeWork);
    this.#ahead = options.clockAhead ?? seconds(0);
    const node = { ...worldFunction(options), code: this.#inProcess };
    this.deployment = deployQueueFunction(node, { aws, addresses, log: () => undefined });
    this.topicArn = this.deployment.topic("notices").arn;
    settle(this, options);
    const { cloudController = "no end" } = options;
    if (cloudController !== "no end") joinInstancesAndNodes(this, cloudController);
    this.cluster.store.subscribe((change) => this.#note(change));
    const queue = this.deployment.queue("notices");
    queue.purge(); // the world begins after the hook's test notice was handled
    const mapping = this.deployment.mapping("notices");
    this.#source = new EventSource({ timeline, queue, mapping });
    this.#chance = chanceOf(options.seed ?? 1);
  }

  /** Terminates an instance of the group. Its notice goes through the topic to the queue. */
  terminate(index: number): void {
    this.aws.autoScaling.terminate(instanceOf(index));
  }

  /** Terminates the first instance, and lets the function work until the queue is empty or the time is up. */
  drain(atMost?: Duration): Promise<void> {
    this.terminate(1);
    return this.work(atMost);
  }

  /** Lets the process of the function that makes the next request after a while die at it. */
  dieIn(wait: Duration): void {
    this.in(wait, () => {
      this.faults = () => {
        this.faults = () => well;
        return { kind: "death", moment: "before" };
      };
    });
  }

  /** Publishes any notice to the topic. */
  send(notice: object): void {
    const message = JSON.stringify(notice);
    this.aws.sns.publish(this.topicArn, { subject: "", message });
  }

  /** Calls a listener for each pod that ends. */
  onDeparture(listener: (departure: Departure) => void): void {
    this.#listeners.push(listener);
  }

  /** Deletes the visible notices from the queue. */
  async drop(): Promise<void> {
    const queue = this.deployment.queue("notices");
    const gone = new AbortController().signal;
    const request = { max: 10, wait: seconds(0), visibility: seconds(30), gone };
    for (const { receipt } of await queue.receive(request)) queue.delete(receipt);
  }

  /** Schedules an effect. */
  in(wait: Duration, effect: () => void): void {
    this.timeline.schedule(later(this.timeline.now(), wait), effect);
  }

  /** Keeps the notices that are visible now from the function for a while. */
  withhold(visibility: Duration): void {
    const gone = new AbortController().signal;
    const request = { max: 10, wait: seconds(0), visibility, gone };
    void this.deployment.queue("notices").receive(request);
  }

  /** Lets the function work until the queue is empty or the time is up. */
  work(atMost: Duration = hours(49)): Promise<void> {
    return this.#workUntil(() => this.#source.done, atMost);
  }

  /** Lets the function work for so long, also on what comes later. */
  workFor(lasts: Duration): Promise<void> {
    return this.#workUntil(() => false, lasts);
  }

  async #workUntil(over: () => boolean, atMost: Duration): Promise<void> {
    const ends = later(this.timeline.now(), atMost);
    const work = async () => {
      while (!((await this.#worked(ends)) || over())) this.#step(ends);
    };
    await withTimersOn(this.timeline, () => withChance(this.#chance, work));
  }

  /** Lets time pass while the function does not work. */
  pass(duration: Duration): void {
    this.timeline.pass(duration);
  }

  /** The journal entries of a kind. */
  told<Kind extends Entry["kind"]>(kind: Kind): readonly Extract<Dated, { kind: Kind }>[] {
    return this.entries.filter(
      (entry): entry is Extract<Dated, { kind: Kind }> => entry.kind === kind,
    );
  }

  /** Runs the function in this process. The fault plan decides the fault of each request. */
  readonly #inProcess: FunctionCode = ({ environment, timeout }, { credentials, log }) => {
    const { timeline, cluster, aws } = this;
    const variables = { ...environment, AWS_REGION: account.region };
    const config = parseConfig(variables);
    const repairs = parseRepairConfig(variables);
    const record: Journal<Entry>["record"] = (entry) => {
      this.entries.push({ ...entry, at: timeline.now() });
      log({ source: "function", text: JSON.stringify(entry) });
    };
    const surroundings = {
      timeline,
      cluster,
      aws,
      endpoint: new AwsEndpoint(aws, { signatures: "believed" }),
      ahead: this.#ahead,
      meet: (request: Meeting) => this.#meet(request),
    };
    const start = () =>
      new FunctionProcess(
        { config, repairs, credentials: credentials(), record, work: this.#work },
        surroundings,
      );
    return new InProcessFunction({ timeline, timeout, start });
  };

  /** Runs everything that is due at this moment, and returns whether the time is up. */
  async #worked(ends: Instant): Promise<boolean> {
    await this.#source.invoke();
    await rest();
    return this.timeline.now() >= ends;
  }

  #step(ends: Instant): void {
    const before = this.timeline.now();
    this.timeline.step(earliest(ends, this.#source.nextVisible));
    this.#atOnce = this.timeline.now() > before ? 0 : this.#atOnce + 1;
    if (this.#atOnce > mostAtOnce) throw new Error(`the world runs in circles at ${before}`);
  }

  #note({ resource, before, after }: Change): void {
    if (resource.plural !== pods.plural || before === undefined || after !== undefined) return;
    const { name, uid } = before.metadata;
    const departure = { name, uid, at: this.timeline.now() };
    this.departures.push(departure);
    for (const listener of this.#listeners) listener(departure);
  }

  #meet(meeting: Meeting) {
    const number = this.requests.length + 1;
    const request = { ...meeting, number, at: this.timeline.now(), pass: passNow() };
    this.requests.push(request);
    return this.faults(request);
  }
}
