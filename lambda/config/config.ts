import { metricsNamespace } from "../contract.ts";
import type { DrainPolicy } from "../domain/drain/drain-policy.ts";
import type { AccessChoice } from "../domain/launch/access.ts";
import type { LaunchPolicy } from "../domain/launch/launch-policy.ts";
import type { InterruptionPolicy } from "../domain/notice/interruption-policy.ts";
import { clusterNameIn, managedGroupsIn, type Queues, queuesIn, regionIn } from "./place.ts";
import { drainPolicyIn, interruptionPolicyIn, launchPolicyIn } from "./policies.ts";
import { readSettings } from "./read-settings.ts";
import type { ValuesOf } from "./setting.ts";
import { accessSettings, reportSettings } from "./settings.ts";
import type { Variables } from "./variables.ts";

/** Everything that the node function was deployed with. */
export interface Config extends Queues {
  readonly region: string;
  readonly clusterName: string;
  readonly drain: DrainPolicy;
  readonly launch: LaunchPolicy;
  readonly interruption: InterruptionPolicy;
  /** How the roles of nodes are let in. */
  readonly nodeAccess: AccessChoice;
  /** What the function tells besides its log. */
  readonly reports: ValuesOf<typeof reportSettings>;
  /** The namespace of this deployment's metrics. */
  readonly metricsNamespace: string;
}

/**
 * Reads the environment of the node function. It is put together from the parts that this function needs; another
 * function has another list of parts. A variable that does not fit is a fault.
 */
export function parseConfig(variables: Variables): Config {
  const region = regionIn(variables);
  const clusterName = clusterNameIn(variables);
  const managed = managedGroupsIn(variables);
  const drain = drainPolicyIn(variables, managed);
  return Object.freeze({
    region,
    clusterName,
    ...queuesIn(variables),
    drain,
    launch: launchPolicyIn(variables, managed),
    interruption: interruptionPolicyIn(variables, drain),
    nodeAccess: readSettings(accessSettings, variables).access,
    reports: readSettings(reportSettings, variables),
    metricsNamespace: metricsNamespace + clusterName,
  });
}

/** Reads a part of the configuration from the environment of the function that is running. */
export const fromEnvironment = <T>(part: (variables: Variables) => T): T => part(process.env);

/** The Region of the function that is running. */
export const readRegion = (): string => fromEnvironment(regionIn);

/** The configuration of the node function that is running. */
export const readConfig = (): Config => fromEnvironment(parseConfig);
