import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { EC2Client } from "@aws-sdk/client-ec2";
import { EKSClient } from "@aws-sdk/client-eks";
import { SQSClient } from "@aws-sdk/client-sqs";
import { AutoScalingGroups } from "../../lambda/adapters/auto-scaling-groups.ts";
import { awsClientOptions } from "../../lambda/adapters/aws-client-options.ts";
import { Ec2Instances } from "../../lambda/adapters/ec2-instances.ts";
import { EksCluster } from "../../lambda/adapters/eks-cluster.ts";
import { EksConnection } from "../../lambda/adapters/eks-connection.ts";
import { EksToken } from "../../lambda/adapters/eks-token.ts";
import { KubeConnection } from "../../lambda/adapters/kube-connection.ts";
import { SqsInbox } from "../../lambda/adapters/sqs-inbox.ts";
import { Bell } from "../../lambda/bell.ts";
import { parseConfig } from "../../lambda/config.ts";
import type { Entry } from "../../lambda/domain/entry.ts";
import { type Duration, hours, instant, later, seconds } from "../../lambda/domain/time.ts";
import { deliveries } from "../../lambda/door-schema.ts";
import { answerQueue } from "../../lambda/flows/answer-queue.ts";
import { workOnNotice } from "../../lambda/flows/work-on-notice.ts";
import type { Clock, Ports } from "../../lambda/ports.ts";
import { Aws } from "../../sandbox/aws/aws.ts";
import type { Received } from "../../sandbox/aws/sqs/message.ts";
import { SandboxCluster } from "../../sandbox/cluster/sandbox-cluster.ts";
import { VirtualTimeline } from "../../sandbox/timeline.ts";
import { handlerTo } from "./in-process-aws.ts";
import { wireTo } from "./in-process-wire.ts";
import { rest, virtualClock } from "./virtual-clock.ts";

const account = { partition: "aws", region: "eu-west-1", id: "123456789012" };
const visibility = seconds(120);

/** The names that every test shares. */
export const group = "workers";
export const hook = "Terminate-LC-Hook";

/** The instance of a numbered node. */
export const instanceOf = (index: number): string => `i-${String(index).padStart(17, "0")}`;

/** The name of a numbered node. */
export const nodeOf = (index: number): string => `ip-10-0-0-${index}.eu-west-1.compute.internal`;

/** A cluster and its Auto Scaling group in virtual time, with the function's own code at work on its queue. */
export class VirtualWorld {
  readonly timeline = new VirtualTimeline(instant(Date.parse("2026-11-20T10:00:00Z")));
  readonly cluster: SandboxCluster;
  readonly aws: Aws;
  readonly clock: Clock;
  readonly ports: Ports;
  readonly entries: Entry[] = [];
  readonly #inbox: SqsInbox;
  readonly #config: ReturnType<typeof parseConfig>;

  /** A group of nodes, as many as are named, and settings of the function where they differ. */
  constructor(nodes: number, settings: Readonly<Record<string, string>> = {}) {
    this.cluster = new SandboxCluster(this.timeline);
    this.aws = new Aws(this.timeline, account);
    this.clock = virtualClock(this.timeline);
    this.#config = parseConfig({
      AWS_REGION: account.region,
      CLUSTER_NAME: "demo",
      MANAGED_GROUPS: JSON.stringify([group]),
      QUEUE_URL: `https://sqs.eu-west-1.amazonaws.com/${account.id}/notices`,
      DEAD_LETTER_QUEUE_URL: `https://sqs.eu-west-1.amazonaws.com/${account.id}/dead-letters`,
      ...settings,
    });
    this.#deploy(nodes);
    const options = this.#clientOptions();
    const eks = new EKSClient(options);
    this.#inbox = new SqsInbox(new SQSClient(options), this.#config);
    this.ports = {
      cluster: new EksCluster(this.#connection(eks), this.clock),
      groups: new AutoScalingGroups(new AutoScalingClient(options)),
      instances: new Ec2Instances(new EC2Client(options)),
      clock: this.clock,
      journal: { record: (entry) => this.entries.push(entry) },
    };
  }

  /** Auto Scaling takes an instance out of the group: its notice goes by topic to the queue. */
  terminate(index: number): void {
    this.aws.autoScaling.terminate(instanceOf(index));
  }

  /** The lifecycle actions, in the order they began. */
  actions() {
    return this.aws.autoScaling.actions();
  }

  /** Receives from the queue and works until nothing is left in it, or until the time is up. */
  async work(atMost: Duration = hours(49)): Promise<void> {
    const ends = later(this.clock.now(), atMost);
    const queue = this.aws.sqs.findQueue("notices");
    while (queue.contents().length > 0 && this.clock.now() < ends) {
      const batch = await queue.receive({
        max: 10,
        wait: seconds(0),
        visibility,
        gone: new AbortController().signal,
      });
      if (batch.length > 0) await this.answer(batch);
      else await this.#untilVisible();
    }
    await rest();
  }

  /** Works on one batch and acknowledges what is done, as Lambda does. */
  async answer(batch: readonly Received[]): Promise<void> {
    const { drain } = this.#config;
    const work = (received: Parameters<typeof workOnNotice>[0]) =>
      workOnNotice(received, drain, this.ports);
    const queued = deliveries(eventOf(batch)).filter((delivery) => delivery.door === "queue");
    const desk = { inbox: this.#inbox, journal: this.ports.journal, work };
    const { batchItemFailures } = await answerQueue(queued, desk);
    const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
    const queue = this.aws.sqs.findQueue("notices");
    for (const { message, receipt } of batch) if (!failed.has(message.id)) queue.delete(receipt);
  }

  /** Lets time pass with nobody at work. */
  async pass(duration: Duration): Promise<void> {
    await rest();
    this.timeline.pass(duration);
    await rest();
  }

  /** The entries of a kind. */
  told<Kind extends Entry["kind"]>(kind: Kind): readonly Extract<Entry, { kind: Kind }>[] {
    return this.entries.filter(
      (entry): entry is Extract<Entry, { kind: Kind }> => entry.kind === kind,
    );
  }

  /** The requests of the function that changed something, in short. */
  writes(): readonly string[] {
    return this.cluster.audit
      .filter(({ verb }) => ["create", "update", "patch", "delete"].includes(verb))
      .map(({ verb, objectRef, responseStatus }) =>
        [verb, objectRef?.resource, objectRef?.subresource, objectRef?.name, responseStatus.code]
          .filter((part) => part !== undefined && part !== "")
          .join(" "),
      );
  }

  async #untilVisible(): Promise<void> {
    await rest();
    this.timeline.step(later(this.clock.now(), hours(1)));
  }

  #deploy(nodes: number): void {
    const deadLetters = this.aws.sqs.createQueue({ name: "dead-letters" });
    const redrive = { kind: "dead-letters", to: deadLetters, maxReceives: 1000 } as const;
    const queue = this.aws.sqs.createQueue({ name: "notices", visibility, redrive });
    this.aws.autoScaling.createGroup({ name: group, zones: ["eu-west-1a"], launches: "never" });
    const targetArn = queue.settings.arn;
    const transition = "autoscaling:EC2_INSTANCE_TERMINATING";
    const hooked = { name: hook, transition, targetArn, heartbeat: seconds(1800) } as const;
    this.aws.autoScaling.putHook(group, { ...hooked, defaultResult: "CONTINUE" });
    this.aws.eks.createCluster({
      name: "demo",
      version: "1.36",
      endpoint: "https://127.0.0.1",
      certificateAuthority: "",
      authenticationMode: "API",
    });
    for (let index = 1; index <= nodes; index += 1) this.#join(index);
  }

  #join(index: number): void {
    const zone = "eu-west-1a";
    const id = instanceOf(index);
    this.aws.ec2.run({ id, zone, privateIp: `10.0.0.${index}` });
    this.aws.autoScaling.attach({ id, zone, group });
    this.cluster.addNode({ name: nodeOf(index), providerID: `aws:///${zone}/${id}` });
  }

  #clientOptions() {
    const credentials = this.aws.keys.addUser("function");
    const requestHandler = handlerTo(this.aws);
    return { ...awsClientOptions(account.region), credentials, requestHandler };
  }

  #connection(eks: EKSClient): EksConnection {
    const { clusterName, region } = this.#config;
    const { credentials } = eks.config;
    const token = new EksToken({ clusterName, region, credentials, now: this.clock.now });
    return new EksConnection({
      eks,
      clusterName,
      token,
      pause: (duration) => this.clock.sleep(later(this.clock.now(), duration), new Bell()),
      open: (address, bearer) => new KubeConnection(address, bearer, wireTo(this.cluster)),
    });
  }
}

const eventOf = (batch: readonly Received[]) => ({
  Records: batch.map(({ message, handling, receipt }) => ({
    messageId: message.id,
    receiptHandle: receipt,
    body: message.body,
    attributes: { ApproximateReceiveCount: String(handling.receives) },
    eventSource: "aws:sqs",
  })),
});
