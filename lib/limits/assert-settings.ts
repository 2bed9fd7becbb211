import { environment } from "../../lambda/base/contract.ts";
import { parseConfig } from "../../lambda/config/config.ts";
import type { Form } from "../../lambda/config/form.ts";
import type { NameOf } from "../../lambda/config/text-reader.ts";
import { complaintOf, UnfitVariable } from "../../lambda/config/variables.ts";
import { allSettings } from "../cluster-file/all-settings.ts";
import { parseOwn } from "../cluster-file/own-settings.ts";
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

/**
 * Returns a function that translates an environment variable into its option: `DRAIN_TIMEOUT_SECONDS` becomes
 * `drain.timeout`. `called` gives the option's own name.
 */
export function namesFor(called: (name: string, form: Form) => string): NameOf {
  const names = new Map(
    Object.entries(allSettings).flatMap(([part, settings]) =>
      Object.entries(settings).map(
        ([name, { key, form }]) => [key, `${part}.${called(name, form)}`] as const,
      ),
    ),
  );
  return (key) => names.get(key) ?? key;
}

const optionOf = namesFor((name) => name);

/** Refuses settings that a function would refuse when it starts, and names the option instead of the variable. */
export function assertSettings(settings: Readonly<Record<string, string>>): void {
  try {
    parseConfig({ ...place, ...settings });
    parseOwn({ ...place, ...settings });
  } catch (cause) {
    if (!(cause instanceof UnfitVariable)) throw cause;
    throw new Refusal(complaintOf(cause, optionOf), { cause });
  }
}
