import { drainSettings } from "../../lambda/config/settings.ts";
import { type Duration, wholeSeconds } from "../../lambda/domain/time.ts";
import type { Deployment, DeploymentWorld } from "../../sandbox/deployment.ts";
import { bundleIn } from "../../sandbox/lambda/function-code.ts";
import { deployQueueFunction, type QueueFunction } from "../../sandbox/queue-function.ts";
import { demoNode } from "../../sandbox/scenarios/demo-ng.ts";
import { functionFolder } from "./function-folder.ts";
import { nodeFunction } from "./node-function.ts";

/** How long a drain may take in one replay. */
export type DrainTimeout = Duration | "as usual";

/** Builds the node function, and returns a function that deploys it for the demo. */
export async function deployDemo(
  drainTimeout: DrainTimeout,
  queue: Pick<QueueFunction, "visibility"> = {},
): Promise<(world: DeploymentWorld) => Deployment> {
  const code = bundleIn(await functionFolder());
  const node = { ...nodeFunction(demoNode, settingsOf(drainTimeout)), ...queue, code };
  return (world) => deployQueueFunction(node, world);
}

function settingsOf(drainTimeout: DrainTimeout): Readonly<Record<string, string>> {
  if (drainTimeout === "as usual") return {};
  return { [drainSettings.timeout.key]: String(wholeSeconds(drainTimeout)) };
}
