import { metricsNamespace, newsVariable, trust } from "../base/contract.ts";
import type { DrainPolicy } from "../drain/drain-policy.ts";
import type { QueueUrls } from "../notice/queue.port.ts";
import { readSettings } from "./form-reader.ts";
import { clusterNameIn, managedGroupsIn, queuesIn, regionIn } from "./place.ts";
import { drainPolicyIn } from "./policies.ts";
import type { ValuesOf } from "./setting.ts";
import { reportSettings } from "./settings.ts";
import type { Variables } from "./variables.ts";

/** The configuration of every function that drains. */
export interface FunctionConfig extends QueueUrls {
  readonly region: string;
  /** The id of the function's own role; empty where the environment does not say. */
  readonly roleId: string;
  readonly clusterName: string;
  readonly drain: DrainPolicy;
  /** The function's reports besides its log. */
  readonly reports: ValuesOf<typeof reportSettings>;
  /** The news of drains for a webhook, on or off. */
  readonly news: "off" | "on";
  /** The namespace of this deployment's metrics. */
  readonly metricsNamespace: string;
}

/** Reads the part of the environment that every function which drains has. */
export function functionConfigIn(variables: Variables): FunctionConfig {
  const region = regionIn(variables);
  const clusterName = clusterNameIn(variables);
  return {
    region,
    roleId: variables[trust.roleId] ?? "",
    clusterName,
    ...queuesIn(variables),
    drain: drainPolicyIn(variables, managedGroupsIn(variables)),
    reports: readSettings(reportSettings, variables),
    news: variables[newsVariable] === "on" ? "on" : "off",
    metricsNamespace: metricsNamespace + clusterName,
  };
}
