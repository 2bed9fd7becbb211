import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { EC2Client } from "@aws-sdk/client-ec2";
import { EKSClient } from "@aws-sdk/client-eks";
import { IAMClient } from "@aws-sdk/client-iam";
import { SQSClient } from "@aws-sdk/client-sqs";
import { loadSharedConfigFiles } from "@smithy/core/config";
import { AutoScalingGroups } from "../../lambda/adapters/aws/auto-scaling-groups.ts";
import { awsClientOptions } from "../../lambda/adapters/aws/aws-client-options.ts";
import { Ec2Instances } from "../../lambda/adapters/aws/ec2-instances.ts";
import { IamRoles } from "../../lambda/adapters/aws/iam-roles.ts";
import { SqsInbox } from "../../lambda/adapters/aws/sqs-inbox.ts";
import { roleRegistration } from "../../lambda/adapters/eks/cluster-access.ts";
import { EksConnection } from "../../lambda/adapters/eks/eks-connection.ts";
import { EksToken } from "../../lambda/adapters/eks/eks-token.ts";
import { KubeConnection } from "../../lambda/adapters/kubernetes/connection/kube-connection.ts";
import { KubeCluster } from "../../lambda/adapters/kubernetes/kube-cluster.ts";
import { sharedPause } from "../../lambda/adapters/local/shared-pause.ts";
import type { Config } from "../../lambda/config/config.ts";
import type { Entry } from "../../lambda/domain/entry.ts";
import { later } from "../../lambda/domain/time.ts";
import { deliveries } from "../../lambda/events/deliveries.ts";
import { answerQueue } from "../../lambda/flows/queue/answer-queue.ts";
import { type Received as Noticed, workOnNotice } from "../../lambda/flows/queue/work-on-notice.ts";
import { Bell } from "../../lambda/ports/bell.ts";
import type { LaunchPorts } from "../../lambda/ports/ports.ts";
import type { Credentials } from "../../sandbox/aws/access-keys.ts";
import type { Received } from "../../sandbox/aws/sqs/message.ts";
import { handlerTo } from "./in-process-aws.ts";
import { wireTo } from "./in-process-transport.ts";
import { Life } from "./life.ts";
import type { Surroundings } from "./surroundings.ts";
import { virtualClock } from "./virtual-clock.ts";

// What is read from disk takes real time, during which the world's would go on: the SDK looks for its configuration
// files once, and the function for what only a launch needs.
await Promise.all([loadSharedConfigFiles(), import("../../lambda/domain/aws-auth/edit.ts")]);

/** What a process of the function is started with. */
export interface Deployment {
  readonly config: Config;
  readonly credentials: Credentials;
  readonly record: (entry: Entry) => void;
}

/** One process of the function, put together as its handler does it, with real clients; it may die. */
export class FunctionProcess {
  readonly life = new Life();
  readonly #ports: LaunchPorts;
  readonly #inbox: SqsInbox;
  readonly #config: Config;

  constructor(deployment: Deployment, surroundings: Surroundings) {
    const { config, credentials, record } = deployment;
    const requestHandler = handlerTo(surroundings, this.life);
    const options = { ...awsClientOptions(config.region), credentials, requestHandler };
    const clock = virtualClock(surroundings.timeline);
    const token = new EksToken({ ...config, credentials: async () => credentials, now: clock.now });
    const eks = new EKSClient(options);
    const connection = new EksConnection({
      eks,
      clusterName: config.clusterName,
      token,
      pause: (duration) => clock.sleep(later(clock.now(), duration), new Bell()),
      open: (address, bearer) =>
        new KubeConnection(address, bearer, wireTo(surroundings, this.life)),
    });
    this.#config = config;
    this.#inbox = new SqsInbox(new SQSClient(options), config);
    this.#ports = {
      cluster: new KubeCluster(connection, clock),
      groups: new AutoScalingGroups(new AutoScalingClient(options)),
      instances: new Ec2Instances(new EC2Client(options)),
      roles: new IamRoles(new IAMClient(options), clock),
      access: roleRegistration({ ...config, connection, eks, choice: config.nodeAccess, clock }),
      clock,
      journal: { record: (entry) => (this.life.over ? undefined : record(entry)) },
      pause: sharedPause(),
    };
  }

  /** Works on a batch and says which of its messages are not done; a process that dies says nothing. */
  async answer(batch: readonly Received[]): Promise<ReadonlySet<string>> {
    const work = (noticed: Noticed) => workOnNotice(noticed, this.#config, this.#ports);
    const queued = deliveries(eventOf(batch)).filter((delivery) => delivery.via === "queue");
    const options = { inbox: this.#inbox, journal: this.#ports.journal, work };
    const { batchItemFailures } = await this.life.bound(answerQueue(queued, options));
    return new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
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
