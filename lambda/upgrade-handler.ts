import { Ec2Instances } from "./aws/ec2-instances.ts";
import { ElbTargetGroups } from "./aws/elb-target-groups.ts";
import { FullAutoScalingGroups } from "./aws/full-auto-scaling-groups.ts";
import { lateZonalShifts } from "./aws/late-zonal-shifts.ts";
import { Ec2LaunchTemplates } from "./aws/upgrade/ec2-launch-templates.ts";
import { lateImages } from "./aws/upgrade/late-images.ts";
import { fromEnvironment } from "./config/config.ts";
import { readSettings } from "./config/form-reader.ts";
import { functionConfigIn } from "./config/function-config.ts";
import { launchSettings } from "./config/settings.ts";
import { openFunction } from "./drain-ports.ts";
import { KubeGroupNodes } from "./kubernetes/kube-group-nodes.ts";
import { deliveries } from "./notice/deliveries.ts";
import { queueHandler } from "./notice/queue-handler.flow.ts";
import { startedWith } from "./process/started-with.ts";
import type { UpgradePorts } from "./upgrade/upgrade.port.ts";
import { readUpgrade } from "./upgrade/upgrade-message.ts";
import { upgradeWork } from "./upgrade/upgrade-pass.flow.ts";

const config = startedWith(() =>
  fromEnvironment((variables) => ({
    ...functionConfigIn(variables),
    startupTaints: readSettings(launchSettings, variables).startupTaints,
  })),
);
const { shared, options, autoScaling, ec2, client, inbox } = openFunction(config);
const instances = new Ec2Instances(ec2);
const ports: UpgradePorts = {
  ...shared,
  instances,
  groups: new FullAutoScalingGroups(autoScaling),
  templates: new Ec2LaunchTemplates(ec2),
  images: lateImages(ec2, options),
  targetGroups: new ElbTargetGroups(options, shared.clock),
  groupNodes: new KubeGroupNodes(client, instances),
  shifts: lateZonalShifts(config.region, options),
};

/** Answers a batch of messages about upgrades with those that are not done. */
export const handler = queueHandler({
  read: (event) => deliveries(event, { ...config, reader: readUpgrade }),
  work: upgradeWork(config, ports),
  inbox,
  ...shared,
});
