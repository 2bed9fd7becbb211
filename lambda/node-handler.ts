import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { EC2Client } from "@aws-sdk/client-ec2";
import { EKSClient } from "@aws-sdk/client-eks";
import { IAMClient } from "@aws-sdk/client-iam";
import { SQSClient } from "@aws-sdk/client-sqs";
import { AutoScalingGroups } from "./adapters/aws/auto-scaling-groups.ts";
import { awsClientOptions } from "./adapters/aws/aws-client-options.ts";
import { Ec2Instances } from "./adapters/aws/ec2-instances.ts";
import { IamRoles } from "./adapters/aws/iam-roles.ts";
import { SqsInbox } from "./adapters/aws/sqs-inbox.ts";
import { AccessEntries } from "./adapters/eks/access-entries.ts";
import { AwsAuthAccess } from "./adapters/eks/aws-auth-access.ts";
import { AwsAuthMap } from "./adapters/eks/aws-auth-map.ts";
import { RoleRegistration } from "./adapters/eks/cluster-access.ts";
import { EksConnection } from "./adapters/eks/eks-connection.ts";
import { EksToken } from "./adapters/eks/eks-token.ts";
import { KubeConnection } from "./adapters/kubernetes/connection/kube-connection.ts";
import { KubeCluster } from "./adapters/kubernetes/kube-cluster.ts";
import { KubeEvents } from "./adapters/kubernetes/kube-events.ts";
import { jsonJournal } from "./adapters/local/json-journal.ts";
import { sharedPause } from "./adapters/local/shared-pause.ts";
import { systemClock } from "./adapters/local/system-clock.ts";
import { readConfig } from "./config/config.ts";
import { later, longest, milliseconds, seconds, shortest } from "./domain/time.ts";
import { deliveries } from "./events/deliveries.ts";
import { answerDirect } from "./flows/queue/answer-direct.ts";
import { answerQueue } from "./flows/queue/answer-queue.ts";
import { type Received, workOnNotice } from "./flows/queue/work-on-notice.ts";
import { Bell } from "./ports/bell.ts";
import type { LaunchPorts } from "./ports/ports.ts";

/** What Lambda tells an invocation of itself, as far as it matters here. */
interface Context {
  getRemainingTimeInMillis(): number;
}

const config = readConfig();
const options = awsClientOptions(config.region);
const eks = new EKSClient(options);
const clock = systemClock;
const journal = jsonJournal(clock, (line) => process.stdout.write(line));
const token = new EksToken({
  clusterName: config.clusterName,
  region: config.region,
  credentials: eks.config.credentials,
  now: clock.now,
});
const connection = new EksConnection({
  eks,
  clusterName: config.clusterName,
  token,
  open: (address, bearer) => new KubeConnection(address, bearer),
  pause: (duration) => clock.sleep(later(clock.now(), duration), new Bell()),
});
const { clusterName, nodeAccess: choice } = config;
const events = new KubeEvents(connection, clock);
const awsAuth = new AwsAuthAccess({ map: new AwsAuthMap(connection), events, clock });
const entries = new AccessEntries({ eks, clusterName, clock });
const ports: LaunchPorts = {
  cluster: new KubeCluster(connection, clock),
  groups: new AutoScalingGroups(new AutoScalingClient(options)),
  instances: new Ec2Instances(new EC2Client(options)),
  roles: new IamRoles(new IAMClient(options), clock),
  access: new RoleRegistration({ eks, clusterName, choice, awsAuth, entries, clock }),
  clock,
  journal,
  pause: sharedPause(),
};
const inbox = new SqsInbox(new SQSClient(options), config);

// The way to the cluster is opened while Lambda is still starting; the first call meets what went wrong.
connection.current().then(
  (open) => open.open().catch(() => undefined),
  () => undefined,
);

// After its last start a pass still waits for an answer of the API server, of 40 seconds at most.
const afterPass = seconds(45);
const leastPass = seconds(1);

/** Answers a batch of the queue with what is not done, and a saved SNS event with what became of it. */
export async function handler(event: unknown, context: Context): Promise<unknown> {
  const remaining = milliseconds(context.getRemainingTimeInMillis() - afterPass);
  const pass = shortest(config.drain.pass, longest(leastPass, remaining));
  const policies = { drain: { ...config.drain, pass }, launch: { ...config.launch, pass } };
  const work = (received: Received) => workOnNotice(received, policies, ports);
  const arrived = deliveries(event);
  const queued = arrived.filter((delivery) => delivery.via === "queue");
  if (queued.length > 0) return answerQueue(queued, { inbox, journal, work });
  const lastStart = later(clock.now(), milliseconds(remaining - pass));
  const options = { clock, journal, work, lastStart };
  return {
    outcomes: await Promise.all(arrived.map(({ noticed }) => answerDirect(noticed, options))),
  };
}
