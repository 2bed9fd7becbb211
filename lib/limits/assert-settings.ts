import { parseConfig } from "../../lambda/config/config.ts";
import { environment } from "../../lambda/contract.ts";
import { Fault } from "../../lambda/fault.ts";
import { Refusal } from "../refusal.ts";

const queue = "https://sqs.eu-west-1.amazonaws.com/123456789012/queue";

/** The rest of an environment in which the function starts. */
const place = {
  AWS_REGION: "eu-west-1",
  [environment.clusterName]: "cluster",
  [environment.managedGroups]: '["group"]',
  [environment.queueUrl]: queue,
  [environment.deadLetterQueueUrl]: queue,
};

/** Refuses the settings that the function would refuse when it starts. */
export function assertSettings(settings: Readonly<Record<string, string>>): void {
  try {
    parseConfig({ ...place, ...settings });
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause;
    throw new Refusal(cause.message, { cause });
  }
}
