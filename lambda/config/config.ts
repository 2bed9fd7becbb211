import type { Duration } from "../base/time.ts";
import type { InterruptionPolicy } from "../interruption/interruption-policy.ts";
import type { LaunchPolicy } from "../launch/launch-policy.ts";
import type { AccessChoice } from "../launch/node-mapping.ts";
import { readSettings } from "./form-reader.ts";
import { type FunctionConfig, functionConfigIn } from "./function-config.ts";
import { hookTargetsIn, regionIn } from "./place.ts";
import { interruptionPolicyIn, launchPolicyIn } from "./policies.ts";
import { accessSettings, hookSettings } from "./settings.ts";
import type { Variables } from "./variables.ts";

/** Everything that the node function was deployed with. */
export interface Config extends FunctionConfig {
  readonly launch: LaunchPolicy;
  readonly interruption: InterruptionPolicy;
  /** The way in which the roles of nodes are admitted. */
  readonly nodeAccess: AccessChoice;
  /** The heartbeat timeout of the groups' hooks. */
  readonly hookHeartbeat: Duration;
  /** The ARNs that they notify; empty where the environment does not say. */
  readonly hookTargets: readonly string[];
}

/**
 * Reads the environment of the node function. It is put together from the parts that this function needs; another
 * function has another list of parts. A variable that does not fit is a fault.
 */
export function parseConfig(variables: Variables): Config {
  const common = functionConfigIn(variables);
  return Object.freeze({
    ...common,
    launch: launchPolicyIn(variables, common.drain.managed),
    interruption: interruptionPolicyIn(variables, common.drain),
    nodeAccess: readSettings(accessSettings, variables).access,
    hookHeartbeat: readSettings(hookSettings, variables).heartbeat,
    hookTargets: hookTargetsIn(variables),
  });
}

/** Reads a part of the configuration from the environment of the function that is running. */
export const fromEnvironment = <T>(part: (variables: Variables) => T): T => part(process.env);

/** The Region of the function that is running. */
export const readRegion = (): string => fromEnvironment(regionIn);

/** The configuration of the node function that is running. */
export const readConfig = (): Config => fromEnvironment(parseConfig);
