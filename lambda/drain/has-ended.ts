import { type Ec2Answer, isGone } from "../group/ec2-instance.ts";
import type { Node } from "./node.ts";

/**
 * Whether the instance of a node has ended, so that nothing on the node is left to save. Both of these:
 * - the node does not report that it is ready (EC2's answers may lag behind, so a node that works is drained);
 * - EC2 says that the instance has been terminated, or no longer knows it.
 */
export const hasEnded = ({ readiness }: Node, ec2Instance: Ec2Answer): boolean =>
  readiness !== "ready" && isGone(ec2Instance);
