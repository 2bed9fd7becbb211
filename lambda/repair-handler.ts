import { Ec2Machines } from "./adapters/aws/ec2-machines.ts";
import { AwsFleets } from "./adapters/aws/fleets/aws-fleets.ts";
import { AwsRepairGroups } from "./adapters/aws/fleets/aws-repair-groups.ts";
import { lateZonalShifts } from "./adapters/aws/late-zonal-shifts.ts";
import { KubeSurvey } from "./adapters/kubernetes/kube-survey.ts";
import { readRepairConfig } from "./config/repair-config.ts";
import { openFunction } from "./drain-ports.ts";
import { deliveries } from "./events/deliveries.ts";
import { readRepair } from "./events/repair.ts";
import { queueHandler } from "./flows/queue/queue-handler.ts";
import { repairWork } from "./flows/repair/repair-work.ts";
import type { RepairPorts } from "./ports/ports.ts";

const config = readRepairConfig();
const { shared, options, autoScaling, ec2, client, inbox } = openFunction(config);
const machines = new Ec2Machines(ec2);
const ports: RepairPorts = {
  ...shared,
  instances: machines,
  fleets: new AwsFleets(autoScaling),
  repairGroups: new AwsRepairGroups(autoScaling),
  surveyNodes: new KubeSurvey(client),
  machines,
  shifts: lateZonalShifts(config.region, options),
};

/** Answers a batch of messages of the schedule with those that are not done. */
export const handler = queueHandler({
  read: (event) => deliveries(event, readRepair),
  work: repairWork(config, ports),
  inbox,
  ...shared,
});
