import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { EC2Client } from "@aws-sdk/client-ec2";
import { EKSClient } from "@aws-sdk/client-eks";
import { AutoScalingGroups } from "./adapters/aws/auto-scaling-groups.ts";
import { awsClientOptions } from "./adapters/aws/aws-client-options.ts";
import { AwsLoadBalancers } from "./adapters/aws/aws-load-balancers.ts";
import { Ec2Instances } from "./adapters/aws/ec2-instances.ts";
import { lateQueue } from "./adapters/aws/late-queue.ts";
import { lateNodeAccess } from "./adapters/eks/late-node-access.ts";
import { openCluster } from "./adapters/eks/open-cluster.ts";
import { KubeEventRecorder } from "./adapters/kubernetes/event-recorder.ts";
import { KubeCluster } from "./adapters/kubernetes/kube-cluster.ts";
import { jsonJournal } from "./adapters/local/json-journal.ts";
import { SharedAdmissions } from "./adapters/local/shared-admissions.ts";
import { SharedMarks } from "./adapters/local/shared-marks.ts";
import { sharedPause } from "./adapters/local/shared-pause.ts";
import { systemClock } from "./adapters/local/system-clock.ts";
import { readConfig } from "./config/config.ts";
import { deliveries } from "./events/deliveries.ts";
import { healthEventOf } from "./events/health.ts";
import { readNotice } from "./events/notice.ts";
import { queueHandler } from "./flows/queue/queue-handler.ts";
import { noticeWork } from "./flows/queue/work-on-notice.ts";
import type { NoticePorts } from "./ports/ports.ts";

const config = readConfig();
const options = awsClientOptions(config.region);
const eks = new EKSClient(options);
const queue = lateQueue(config.region, { ...config, write: healthEventOf });
const clock = systemClock;
const journal = jsonJournal(clock, (line) => process.stdout.write(line));
const client = openCluster({ ...config, eks, clock });
const ports: NoticePorts = {
  cluster: new KubeCluster(client, clock),
  groups: new AutoScalingGroups(new AutoScalingClient(options)),
  instances: new Ec2Instances(new EC2Client(options)),
  balancers: new AwsLoadBalancers(options, clock),
  ...lateNodeAccess({ ...config, client, eks, clock }),
  clock,
  journal,
  pause: sharedPause(),
  marks: new SharedMarks(clock),
  outbox: queue.outbox,
  events: new KubeEventRecorder(client),
  admissions: new SharedAdmissions(clock),
  departures: new SharedAdmissions(clock),
};

// It is connected while Lambda is still starting; if that fails, the first call tries again.
client
  .connection()
  .then((connection) => connection.open())
  .catch(() => undefined);

/** Answers a batch of the queue with what is not done, and a saved SNS event with what became of it. */
export const handler = queueHandler({
  read: (event) => deliveries(event, readNotice),
  work: noticeWork(config, ports),
  inbox: queue.inbox,
  clock,
  journal,
});
