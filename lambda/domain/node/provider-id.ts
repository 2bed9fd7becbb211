import type { InstanceId } from "../ids.ts";
import type { Node } from "./node.ts";

/**
 * Whether a node runs on an instance: its provider ID is `aws:///<zone>/<instance id>`.
 *
 * A node's name proves nothing: names are chosen, and come back.
 */
export const runsOn = (node: Node, instance: InstanceId): boolean =>
  node.providerId.startsWith("aws:") && node.providerId.endsWith(`/${instance}`);
