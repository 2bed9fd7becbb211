import { type Duration, wholeSeconds } from "../../lambda/base/time.ts";
import { drainSettings, launchSettings } from "../../lambda/config/settings.ts";
import type { Deployment, DeploymentWorld } from "../../sandbox/deployment.ts";
import { bundleIn } from "../../sandbox/lambda/function-code.ts";
import { deployQueueFunction, type QueueFunction } from "../../sandbox/queue-function.ts";
import { demoNode } from "../../sandbox/scenarios/demo-ng.ts";
import { functionFolder } from "./function-folder.ts";
import { nodeFunction } from "./node-function.ts";

/** How long something may take in one replay. */
export type Timeout = Duration | "as usual";

/** How long drains and launches may take in one replay, and of which group. */
export interface DemoSettings {
  readonly group: string;
  readonly drainTimeout: Timeout;
  readonly launchTimeout: Timeout;
}

/** Builds the node function, and returns a function that deploys it for the demo. */
export async function deployDemo(
  settings: DemoSettings,
  queue: Pick<QueueFunction, "visibility"> = {},
): Promise<(world: DeploymentWorld) => Deployment> {
  const code = bundleIn(await functionFolder());
  const place = { ...demoNode, managedGroups: [settings.group] };
  const node = { ...nodeFunction(place, settingsOf(settings)), ...queue, code };
  return (world) => deployQueueFunction(node, world);
}

const settingsOf = ({ drainTimeout, launchTimeout }: DemoSettings) => ({
  ...secondsIn(drainSettings.timeout.key, drainTimeout),
  ...secondsIn(launchSettings.timeout.key, launchTimeout),
});

const secondsIn = (key: string, timeout: Timeout): Readonly<Record<string, string>> =>
  timeout === "as usual" ? {} : { [key]: String(wholeSeconds(timeout)) };
