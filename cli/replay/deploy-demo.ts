import { existsSync } from "node:fs";
import { join } from "node:path";
import { environment, functionTimeoutSeconds, trust } from "../../lambda/base/contract.ts";
import { type Duration, seconds, wholeSeconds } from "../../lambda/base/time.ts";
import { drainSettings, launchSettings } from "../../lambda/config/settings.ts";
import type { Deployment, DeploymentWorld } from "../../sandbox/deployment.ts";
import { bundleIn } from "../../sandbox/lambda/lambda-service.ts";
import {
  deployQueueFunction,
  type QueueFunctionSpec,
  type QueuePlace,
} from "../../sandbox/queue-function.ts";
import { demoNode } from "../../sandbox/scenarios/demo-ng.ts";
import { isCurrent } from "../../tools/bundle/is-current.ts";
import { projectRoot } from "../../tools/bundle/project-root.ts";

/** A time limit of a replay. */
export type Timeout = Duration | "as usual";

/** The time limits of drains and launches in a replay, and the group. */
interface DemoSettings {
  readonly group: string;
  readonly drainTimeout: Timeout;
  readonly launchTimeout: Timeout;
}

/** Builds the node function, and returns a function that deploys it for the demo. */
export async function deployDemo(
  settings: DemoSettings,
  queue: Pick<QueueFunctionSpec, "visibility"> = {},
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

type Replayed = "node" | "upgrade";

const folderOf = (name: Replayed): string => join(projectRoot, "dist", name);
let built: Promise<void> | undefined;

/** The folder of a function's bundle. A checkout builds it unless it is current; an installed package contains it. */
export async function functionFolder(name: Replayed = "node"): Promise<string> {
  if (!isMade(name)) {
    built ??= build();
    await built;
  }
  return folderOf(name);
}

const isMade = (name: Replayed): boolean =>
  !existsSync(join(projectRoot, "lambda", `${name}-handler.ts`)) || isCurrent(projectRoot, name);

async function build(): Promise<void> {
  const [{ buildFunctions }, { stop }] = await Promise.all([
    import("../../tools/bundle/build-functions.ts"),
    import("esbuild"),
  ]);
  await buildFunctions();
  await stop(); // the build is over, so esbuild's process can end
}

/** The node function as the stack deploys it, without its code. Its environment has the settings. */
export const nodeFunction = (
  {
    names,
    role,
    clusterName,
    managedGroups,
  }: Pick<QueueFunctionSpec, "names" | "role"> & {
    readonly clusterName: string;
    /** The Auto Scaling groups that it manages. */
    readonly managedGroups: readonly string[];
  },
  settings: Readonly<Record<string, string>> = {},
): Omit<QueueFunctionSpec, "code"> => ({
  names,
  role,
  timeout: seconds(functionTimeoutSeconds),
  environment: ({ queueUrl, deadLetterQueueUrl, hookTargets, roleId }: QueuePlace) => ({
    [environment.clusterName]: clusterName,
    [environment.managedGroups]: JSON.stringify(managedGroups),
    [environment.queueUrl]: queueUrl,
    [environment.deadLetterQueueUrl]: deadLetterQueueUrl,
    [trust.hookTargets]: hookTargets.join(" "),
    [trust.roleId]: roleId,
    ...settings,
  }),
});
