import { Ec2Machines } from "./aws/ec2-instances.ts";
import { ElbTargetGroups } from "./aws/elb-target-groups.ts";
import { FullAutoScalingGroups } from "./aws/full-auto-scaling-groups.ts";
import { lateZonalShifts } from "./aws/late-zonal-shifts.ts";
import { openFunction } from "./drain-ports.ts";
import { KubeGroupNodes } from "./kubernetes/kube-group-nodes.ts";
import { deliveries } from "./notice/deliveries.ts";
import { queueHandler } from "./notice/queue-handler.flow.ts";
import { startedWith } from "./process/started-with.ts";
import type { RepairPorts } from "./repair/repair.port.ts";
import { readRepairConfig } from "./repair/repair-config.ts";
import { readRepair } from "./repair/repair-message.ts";
import { repairWork } from "./repair/repair-pass.flow.ts";

const config = startedWith(readRepairConfig);
const { shared, options, autoScaling, ec2, client, inbox } = openFunction(config);
const machines = new Ec2Machines(ec2);
const ports: RepairPorts = {
  ...shared,
  instances: machines,
  groups: new FullAutoScalingGroups(autoScaling),
  groupNodes: new KubeGroupNodes(client, machines),
  machines,
  targetGroups: new ElbTargetGroups(options, shared.clock),
  shifts: lateZonalShifts(config.region, options),
};

/** Answers a batch of messages of the schedule with those that are not done. */
export const handler = queueHandler({
  read: (event) => deliveries(event, { ...config, reader: readRepair }),
  work: repairWork(config, ports),
  inbox,
  ...shared,
});
