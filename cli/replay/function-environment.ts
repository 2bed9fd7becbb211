import { environment, settingKeys } from "../../lambda/contract.ts";
import { type Duration, wholeSeconds } from "../../lambda/domain/time.ts";
import type { Place } from "../../sandbox/deployment.ts";

/** What may be set of the function for one replay. */
export interface FunctionSettings {
  readonly drainTimeout: Duration | "as usual";
}

/** The environment that the function is deployed with. */
export const functionEnvironment = (place: Place, { drainTimeout }: FunctionSettings) => ({
  [environment.clusterName]: place.clusterName,
  [environment.managedGroups]: JSON.stringify(place.managedGroups),
  [environment.queueUrl]: place.queueUrl,
  [environment.deadLetterQueueUrl]: place.deadLetterQueueUrl,
  ...(drainTimeout === "as usual"
    ? {}
    : { [settingKeys.timeout]: String(wholeSeconds(drainTimeout)) }),
});
