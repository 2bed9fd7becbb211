import { environment, functionTimeoutSeconds } from "../../lambda/base/contract.ts";
import { seconds } from "../../lambda/base/time.ts";
import type { QueueFunction, QueueUrls } from "../../sandbox/queue-function.ts";

/** The names, the role, the cluster and the groups of a node function. */
export interface NodePlace extends Pick<QueueFunction, "names" | "role"> {
  readonly clusterName: string;
  /** The Auto Scaling groups whose instances it may touch. */
  readonly managedGroups: readonly string[];
}

/** The node function as the stack deploys it, without its code. Its environment holds its settings. */
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
