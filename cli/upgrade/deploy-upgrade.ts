import { minutes } from "../../lambda/base/time.ts";
import { drainSettings } from "../../lambda/config/settings.ts";
import type { Transition } from "../../sandbox/aws/auto-scaling/lifecycle.ts";
import type { Deployment, DeploymentWorld } from "../../sandbox/deployment.ts";
import { bundleIn, type FunctionCode } from "../../sandbox/lambda/function-code.ts";
import { deployQueueFunctions, type QueueFunction } from "../../sandbox/queue-function.ts";
import { demoNode } from "../../sandbox/scenarios/demo-ng.ts";
import { demoUpgrade } from "../../sandbox/scenarios/demo-ng-upgrade.ts";
import { functionFolder } from "../replay/function-folder.ts";
import { nodeFunction } from "../replay/node-function.ts";

type CodeOf = (name: "node" | "upgrade") => Promise<FunctionCode>;

const built: CodeOf = async (name) => bundleIn(await functionFolder(name));

/** Returns a function that deploys both functions, and the hooks of the group, for the demo of an upgrade; builds them unless it is given their code. */
export async function deployUpgradeDemo(
  codeOf: CodeOf = built,
): Promise<(world: DeploymentWorld) => Deployment> {
  const functions: readonly QueueFunction[] = [
    { ...nodeFunction(demoNode, quick), code: await codeOf("node") },
    {
      ...nodeFunction({ ...demoNode, ...demoUpgrade }, quick),
      code: await codeOf("upgrade"),
    },
  ];
  return (world) => {
    const deployment = deployQueueFunctions(functions, world);
    putHooks(world, deployment.topic(demoNode.names.topic).arn);
    return deployment;
  };
}

// Nothing comes late in a cluster that only exists here.
const quick = { [drainSettings.settle.key]: "1" };

const hooks = [
  ["Launch-LC-Hook", "autoscaling:EC2_INSTANCE_LAUNCHING", "ABANDON"],
  ["Terminate-LC-Hook", "autoscaling:EC2_INSTANCE_TERMINATING", "CONTINUE"],
] as const satisfies readonly (readonly [string, Transition, string])[];

function putHooks({ aws: { autoScaling } }: DeploymentWorld, targetArn: string): void {
  for (const group of demoNode.managedGroups)
    for (const [name, transition, defaultResult] of hooks)
      autoScaling.putHook(group, {
        ...{ name, transition, defaultResult, targetArn },
        heartbeat: minutes(30),
      });
}
