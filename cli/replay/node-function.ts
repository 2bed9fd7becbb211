import { environment, functionTimeoutSeconds } from "../../lambda/contract.ts";
import { seconds } from "../../lambda/domain/time.ts";
import type { QueueFunction, QueueUrls } from "../../sandbox/queue-function.ts";

/** For whom the node function is deployed. */
export interface NodePlace extends Pick<QueueFunction, "names" | "role"> {
  readonly clusterName: string;
  /** The Auto Scaling groups that it works for. */
  readonly managedGroups: readonly string[];
}

/** The node function as the stack has it, but for its code; its settings are as the environment has them. */
export const nodeFunction = (
  { names, role, clusterName, managedGroups }: NodePlace,
  settings: Readonly<Record<string, string>> = {},
): Omit<QueueFunction, "code"> => ({
  names,
  role,
  timeout: seconds(functionTimeoutSeconds),
  environment: ({ queueUrl, deadLetterQueueUrl }: QueueUrls) => ({
    [environment.clusterName]: clusterName,
    [environment.managedGroups]: JSON.stringify(managedGroups),
    [environment.queueUrl]: queueUrl,
    [environment.deadLetterQueueUrl]: deadLetterQueueUrl,
    ...settings,
  }),
});
