// @ts-nocheck
import { AutoScalingClient, type CompleteLifecycleActionCommand } from "@aws-sdk/client-auto-scaling";

const client = new AutoScalingClient({});

export function release(command: CompleteLifecycleActionCommand): void {
  client.send(command);
}
