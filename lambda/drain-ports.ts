import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { EC2Client } from "@aws-sdk/client-ec2";
import { EKSClient } from "@aws-sdk/client-eks";
import type { ElasticLoadBalancingV2ClientConfig } from "@aws-sdk/client-elastic-load-balancing-v2";
import { AutoScalingGroups } from "./aws/auto-scaling-groups.ts";
import { awsClientOptions } from "./aws/aws-client-options.ts";
import { AwsLoadBalancers } from "./aws/aws-load-balancers.ts";
import { openCluster, overTheNetwork } from "./aws/eks-cluster-client.ts";
import { lateQueue } from "./aws/late-queue.ts";
import { teaching } from "./aws/taught-client.ts";
import { timeKnown } from "./aws/time-known.ts";
import type { Clock } from "./base/clock.port.ts";
import type { FunctionConfig } from "./config/function-config.ts";
import { drainReasons } from "./drain-reasons.ts";
import { type OpenSubject, openSubjects, roomBy } from "./drain-subjects.ts";
import type { InterruptionPorts } from "./interruption/interruption.port.ts";
import { KubeEventRecorder } from "./kubernetes/event-recorder.ts";
import { KubeCluster } from "./kubernetes/kube-cluster.ts";
import type { KubeClient } from "./kubernetes/kube-connection.ts";
import { jsonJournal } from "./process/json-journal.ts";
import { ServerClock } from "./process/server-clock.ts";
import { sharedPorts } from "./process/shared-ports.ts";
import { systemClock } from "./process/system-clock.ts";
import type { EventRecorder, OpensConditions } from "./report/report.port.ts";

/** The ports that the drains of all functions share. */
interface SharedPorts extends Omit<InterruptionPorts, "cluster" | "instances" | "journal"> {
  readonly cluster: KubeCluster;
  readonly subjects: readonly OpenSubject[];
  readonly events: EventRecorder;
  readonly conditions: OpensConditions;
}

/** The ports of a drain in whichever function; each function has its own way to the instances. */
export function drainPorts(parts: {
  readonly client: KubeClient;
  readonly options: ElasticLoadBalancingV2ClientConfig;
  readonly autoScaling: AutoScalingClient;
  readonly clock: Clock;
}): SharedPorts {
  const { client, options, autoScaling, clock } = parts;
  const cluster = new KubeCluster(client, clock);
  const subjects = openSubjects({ client, clock, cluster });
  return {
    cluster,
    subjects,
    groups: new AutoScalingGroups(autoScaling),
    balancers: new AwsLoadBalancers(options, clock),
    events: new KubeEventRecorder(client),
    conditions: async () => {
      const { KubeNodeConditions } = await import("./kubernetes/node-conditions.ts");
      return new KubeNodeConditions(client, clock);
    },
    clock,
    reasons: drainReasons,
    room: roomBy(subjects),
    ...sharedPorts(clock),
  };
}

/** Opens what every function that drains works with, as Lambda runs it. */
export function openFunction(config: FunctionConfig) {
  const clock = new ServerClock(systemClock);
  const options = { ...awsClientOptions(config.region), ...teaching(clock) };
  const eks = new EKSClient(options);
  const autoScaling = new AutoScalingClient(options);
  const client = openCluster({ ...config, eks, clock, open: overTheNetwork(clock) });
  const journal = jsonJournal(clock, (line) => process.stdout.write(line));
  return {
    options,
    eks,
    autoScaling,
    ec2: new EC2Client(options),
    client,
    ...lateQueue(options, config),
    shared: {
      ...drainPorts({ client, options, autoScaling, clock }),
      journal,
      timeKnown: () => timeKnown(client, clock),
    },
  };
}
