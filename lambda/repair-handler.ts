import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { EC2Client } from "@aws-sdk/client-ec2";
import { EKSClient } from "@aws-sdk/client-eks";
import { AutoScalingGroups } from "./adapters/aws/auto-scaling-groups.ts";
import { awsClientOptions } from "./adapters/aws/aws-client-options.ts";
import { AwsLoadBalancers } from "./adapters/aws/aws-load-balancers.ts";
import { Ec2Machines } from "./adapters/aws/ec2-machines.ts";
import { AwsFleets } from "./adapters/aws/fleets/aws-fleets.ts";
import { AwsRepairGroups } from "./adapters/aws/fleets/aws-repair-groups.ts";
import { lateQueue } from "./adapters/aws/late-queue.ts";
import { lateZonalShifts } from "./adapters/aws/late-zonal-shifts.ts";
import { openCluster } from "./adapters/eks/open-cluster.ts";
import { KubeEventRecorder } from "./adapters/kubernetes/event-recorder.ts";
import { KubeCluster } from "./adapters/kubernetes/kube-cluster.ts";
import { KubeSurvey } from "./adapters/kubernetes/kube-survey.ts";
import { jsonJournal } from "./adapters/local/json-journal.ts";
import { SharedAdmissions } from "./adapters/local/shared-admissions.ts";
import { SharedMarks } from "./adapters/local/shared-marks.ts";
import { sharedPause } from "./adapters/local/shared-pause.ts";
import { systemClock } from "./adapters/local/system-clock.ts";
import { readRepairConfig } from "./config/repair-config.ts";
import { deliveries } from "./events/deliveries.ts";
import { healthEventOf } from "./events/health.ts";
import { readRepair } from "./events/repair.ts";
import { queueHandler } from "./flows/queue/queue-handler.ts";
import { repairWork } from "./flows/repair/repair-work.ts";
import type { RepairPorts } from "./ports/ports.ts";

const config = readRepairConfig();
const options = awsClientOptions(config.region);
const eks = new EKSClient(options);
const machines = new Ec2Machines(new EC2Client(options));
const autoScaling = new AutoScalingClient(options);
const queue = lateQueue(config.region, { ...config, write: healthEventOf });
const clock = systemClock;
const journal = jsonJournal(clock, (line) => process.stdout.write(line));
const client = openCluster({ ...config, eks, clock });
const ports: RepairPorts = {
  cluster: new KubeCluster(client, clock),
  groups: new AutoScalingGroups(autoScaling),
  instances: machines,
  balancers: new AwsLoadBalancers(options, clock),
  fleets: new AwsFleets(autoScaling),
  repairGroups: new AwsRepairGroups(autoScaling),
  surveyNodes: new KubeSurvey(client),
  machines,
  shifts: lateZonalShifts(config.region, options),
  events: new KubeEventRecorder(client),
  clock,
  journal,
  pause: sharedPause(),
  marks: new SharedMarks(clock),
  admissions: new SharedAdmissions(clock),
  departures: new SharedAdmissions(clock),
};

/** Answers a batch of messages of the schedule with those that are not done. */
export const handler = queueHandler({
  read: (event) => deliveries(event, readRepair),
  work: repairWork(config, ports),
  inbox: queue.inbox,
  clock,
  journal,
});
