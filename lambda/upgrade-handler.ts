import { Ec2Instances } from "./adapters/aws/ec2-instances.ts";
import { AwsFleets } from "./adapters/aws/fleets/aws-fleets.ts";
import { Ec2LaunchTemplates } from "./adapters/aws/fleets/ec2-launch-templates.ts";
import { lateImages } from "./adapters/aws/fleets/late-images.ts";
import { KubeFleetNodes } from "./adapters/kubernetes/kube-fleet-nodes.ts";
import { readUpgradeConfig } from "./config/upgrade-config.ts";
import { openFunction } from "./drain-ports.ts";
import { deliveries } from "./events/deliveries.ts";
import { readUpgrade } from "./events/upgrade.ts";
import { queueHandler } from "./flows/queue/queue-handler.ts";
import { upgradeWork } from "./flows/upgrade/upgrade-work.ts";
import type { UpgradePorts } from "./ports/ports.ts";

const config = readUpgradeConfig();
const { shared, options, autoScaling, ec2, client, inbox } = openFunction(config);
const instances = new Ec2Instances(ec2);
const ports: UpgradePorts = {
  ...shared,
  instances,
  fleets: new AwsFleets(autoScaling),
  templates: new Ec2LaunchTemplates(ec2),
  images: lateImages(ec2, options),
  fleetNodes: new KubeFleetNodes(client, instances),
};

/** Answers a batch of messages about upgrades with those that are not done. */
export const handler = queueHandler({
  read: (event) => deliveries(event, readUpgrade),
  work: upgradeWork(config, ports),
  inbox,
  ...shared,
});
