import { environment } from "../../lambda/base/contract.ts";
import { parseConfig } from "../../lambda/config/config.ts";
import { allSettings } from "../../lambda/config/settings.ts";
import { complaintOf, UnfitVariable } from "../../lambda/config/variables.ts";
import { parseRepairConfig } from "../../lambda/repair/repair-config.ts";
import { Refusal } from "../refusal.ts";

const queue = "https://sqs.eu-west-1.amazonaws.com/123456789012/queue";

/** The other variables that a function needs to start. */
const place = {
  AWS_REGION: "eu-west-1",
  [environment.clusterName]: "cluster",
  [environment.managedGroups]: '["group"]',
  [environment.queueUrl]: queue,
  [environment.deadLetterQueueUrl]: queue,
};

/** The keys of the environment, and the options that they come from: `DRAIN_TAINT` and `drain.taint`. */
const options: ReadonlyMap<string, string> = new Map(
  Object.entries(allSettings).flatMap(([part, settings]) =>
    Object.entries(settings).map(([name, { key }]) => [key, `${part}.${name}`] as const),
  ),
);

/** Refuses settings that a function would refuse when it starts, and names the option instead of the variable. */
export function assertSettings(settings: Readonly<Record<string, string>>): void {
  try {
    parseConfig({ ...place, ...settings });
    parseRepairConfig({ ...place, ...settings });
  } catch (cause) {
    if (!(cause instanceof UnfitVariable)) throw cause;
    const optionOf = (key: string): string => options.get(key) ?? key;
    throw new Refusal(complaintOf(cause, optionOf), { cause });
  }
}
