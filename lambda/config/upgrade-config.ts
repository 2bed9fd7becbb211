import { metricsNamespace } from "../contract.ts";
import type { DrainPolicy } from "../domain/drain/drain-policy.ts";
import { fromEnvironment } from "./config.ts";
import { clusterNameIn, managedGroupsIn, type Queues, queuesIn, regionIn } from "./place.ts";
import { drainPolicyIn } from "./policies.ts";
import { readSettings } from "./read-settings.ts";
import type { ValuesOf } from "./setting.ts";
import { launchSettings, reportSettings } from "./settings.ts";
import type { Variables } from "./variables.ts";

/** Everything that the upgrade function was deployed with. */
export interface UpgradeConfig extends Queues {
  readonly region: string;
  readonly clusterName: string;
  readonly drain: DrainPolicy;
  /** The keys of the taints that a new node has until it has been set up. */
  readonly startupTaints: readonly string[];
  /** What the function tells besides its log. */
  readonly reports: ValuesOf<typeof reportSettings>;
  /** The namespace of this deployment's metrics. */
  readonly metricsNamespace: string;
}

/** Reads the environment of the upgrade function. A variable that does not fit is a fault. */
export const parseUpgradeConfig = (variables: Variables): UpgradeConfig => {
  const clusterName = clusterNameIn(variables);
  return Object.freeze({
    region: regionIn(variables),
    clusterName,
    ...queuesIn(variables),
    drain: drainPolicyIn(variables, managedGroupsIn(variables)),
    startupTaints: readSettings(launchSettings, variables).startupTaints,
    reports: readSettings(reportSettings, variables),
    metricsNamespace: metricsNamespace + clusterName,
  });
};

/** The configuration of the upgrade function that is running. */
export const readUpgradeConfig = (): UpgradeConfig => fromEnvironment(parseUpgradeConfig);
