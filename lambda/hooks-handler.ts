import { AutoScalingClient } from "@aws-sdk/client-auto-scaling";
import { AutoScalingHooks } from "./aws/auto-scaling-hooks.ts";
import { awsClientOptions } from "./aws/aws-client-options.ts";
import { readRegion } from "./config/config.ts";
import { changeHooks } from "./notice/change-hooks.flow.ts";
import { readHooksRequest } from "./notice/hooks-request.ts";
import { systemClock } from "./process/system-clock.ts";

const clock = systemClock;
const hooks = new AutoScalingHooks(new AutoScalingClient(awsClientOptions(readRegion())));

/** Gives groups their hooks when a stack is deployed that knows the groups by a parameter, and takes them back with it. */
export async function handler(event: unknown): Promise<object> {
  await changeHooks(readHooksRequest(event), { hooks, clock });
  return {};
}
