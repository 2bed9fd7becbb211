import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { EC2Client } from "@aws-sdk/client-ec2";
import { EKSClient } from "@aws-sdk/client-eks";
import { AutoScalingGroups } from "./adapters/aws/auto-scaling-groups.ts";
import { awsClientOptions } from "./adapters/aws/aws-client-options.ts";
import { AwsLoadBalancers } from "./adapters/aws/aws-load-balancers.ts";
import { Ec2Instances } from "./adapters/aws/ec2-instances.ts";
import { AwsFleets } from "./adapters/aws/fleets/aws-fleets.ts";
import { Ec2LaunchTemplates } from "./adapters/aws/fleets/ec2-launch-templates.ts";
import { lateImages } from "./adapters/aws/fleets/late-images.ts";
import { lateQueue } from "./adapters/aws/late-queue.ts";
import { openCluster } from "./adapters/eks/open-cluster.ts";
import { KubeEventRecorder } from "./adapters/kubernetes/event-recorder.ts";
import { KubeCluster } from "./adapters/kubernetes/kube-cluster.ts";
import { KubeFleetNodes } from "./adapters/kubernetes/kube-fleet-nodes.ts";
import { jsonJournal } from "./adapters/local/json-journal.ts";
import { SharedAdmissions } from "./adapters/local/shared-admissions.ts";
import { SharedMarks } from "./adapters/local/shared-marks.ts";
import { sharedPause } from "./adapters/local/shared-pause.ts";
import { systemClock } from "./adapters/local/system-clock.ts";
import { readUpgradeConfig } from "./config/upgrade-config.ts";
import { deliveries } from "./events/deliveries.ts";
import { healthEventOf } from "./events/health.ts";
import { readUpgrade } from "./events/upgrade.ts";
import { queueHandler } from "./flows/queue/queue-handler.ts";
import { upgradeWork } from "./flows/upgrade/upgrade-work.ts";
import type { UpgradePorts } from "./ports/ports.ts";

const config = readUpgradeConfig();
const options = awsClientOptions(config.region);
const eks = new EKSClient(options);
const ec2 = new EC2Client(options);
const autoScaling = new AutoScalingClient(options);
const queue = lateQueue(config.region, { ...config, write: healthEventOf });
const clock = systemClock;
const journal = jsonJournal(clock, (line) => process.stdout.write(line));
const client = openCluster({ ...config, eks, clock });
const instances = new Ec2Instances(ec2);
const ports: UpgradePorts = {
  cluster: new KubeCluster(client, clock),
  groups: new AutoScalingGroups(autoScaling),
  instances,
  balancers: new AwsLoadBalancers(options, clock),
  fleets: new AwsFleets(autoScaling),
  templates: new Ec2LaunchTemplates(ec2),
  images: lateImages(ec2, options),
  fleetNodes: new KubeFleetNodes(client, instances),
  events: new KubeEventRecorder(client),
  clock,
  journal,
  pause: sharedPause(),
  marks: new SharedMarks(clock),
  admissions: new SharedAdmissions(clock),
  departures: new SharedAdmissions(clock),
};

/** Answers a batch of messages about upgrades with those that are not done. */
export const handler = queueHandler({
  read: (event) => deliveries(event, readUpgrade),
  work: upgradeWork(config, ports),
  inbox: queue.inbox,
  clock,
  journal,
});
