import { clusterKnown } from "./aws/cluster-known.ts";
import { Ec2Instances } from "./aws/ec2-instances.ts";
import { Ec2Schedule } from "./aws/ec2-schedule.ts";
import { GatheredInstances } from "./aws/gathered-instances.ts";
import { lateCapacityBlocks } from "./aws/late-capacity-blocks.ts";
import { lateNodeAccess } from "./aws/late-node-access.ts";
import { readConfig } from "./config/config.ts";
import { openFunction } from "./drain-ports.ts";
import { type NoticePorts, noticeWork } from "./node-work.flow.ts";
import { deliveries } from "./notice/deliveries.ts";
import { queueHandler } from "./notice/queue-handler.flow.ts";
import { readNotice } from "./notices.ts";
import { sharedPassedOnBlocks } from "./process/shared-ports.ts";
import { startedWith } from "./process/started-with.ts";

const config = startedWith(readConfig);
const { shared, options, client, eks, ec2, inbox, outbox } = openFunction(config);
const instances = new Ec2Instances(ec2);
const ports: NoticePorts = {
  ...shared,
  instances,
  hurried: new GatheredInstances(instances, shared.clock),
  schedule: new Ec2Schedule(ec2),
  blocks: lateCapacityBlocks(ec2, shared.clock),
  passedOnBlocks: sharedPassedOnBlocks(shared.clock),
  ...lateNodeAccess({ ...config, client, eks, options, clock: shared.clock }),
  outbox,
  clusterKnown: () => clusterKnown(client, shared.clock),
};

// It is connected while Lambda is still starting; if that fails, the first call tries again.
client
  .connection()
  .then((connection) => connection.open())
  .catch(() => undefined);

/** Answers a batch of the queue with the messages that are not done, and a saved SNS event with its outcomes. */
export const handler = queueHandler({
  read: (event) => deliveries(event, { ...config, reader: readNotice }),
  work: noticeWork(config, ports),
  inbox,
  ...shared,
});
