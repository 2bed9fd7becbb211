import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { AutoScalingHooks } from "./adapters/aws/auto-scaling-hooks.ts";
import { awsClientOptions } from "./adapters/aws/aws-client-options.ts";
import { systemClock } from "./adapters/local/system-clock.ts";
import { readRegion } from "./config/config.ts";
import { readHooksRequest } from "./events/hooks-request.ts";
import { changeHooks } from "./flows/hook/change-hooks.ts";

const clock = systemClock;
const hooks = new AutoScalingHooks(new AutoScalingClient(awsClientOptions(readRegion())));

/** Gives groups their hooks when a stack is deployed that knows the groups by a parameter, and takes them back with it. */
export async function handler(event: unknown): Promise<object> {
  await changeHooks(readHooksRequest(event), { hooks, clock });
  return {};
}
