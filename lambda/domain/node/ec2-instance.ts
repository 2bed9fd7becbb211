import type { NodeName } from "../ids.ts";
import type { Instant } from "../time.ts";
import type { Node } from "./node.ts";

/** What an instance runs. */
export type Platform = "linux" | "windows";

/** The EC2 instance behind a node. */
export interface Ec2Instance {
  /** The names under which its node may register. */
  readonly names: readonly NodeName[];
  readonly platform: Platform;
  /** The ARN of its instance profile; empty without one. */
  readonly profile: string;
  readonly launched: Instant;
  /** Whether EC2 has ended it: of no other state is it certain that nothing runs on it any more. */
  readonly life: "there" | "terminated";
}

/** The names under which the node of an instance may have registered; none when it is unknown. */
export const namesOf = (ec2Instance: Ec2Instance | "unknown"): readonly NodeName[] =>
  ec2Instance === "unknown" ? [] : ec2Instance.names;

/**
 * Whether the instance of a node has ended, so that nothing on the node is left to save. Both of these:
 * - the node does not say that it is ready: what EC2 tells may lag behind, and a node at work is drained;
 * - EC2 says that the instance has been terminated, or knows it no more.
 */
export const hasEnded = ({ readiness }: Node, ec2Instance: Ec2Instance | "unknown"): boolean =>
  readiness !== "ready" && (ec2Instance === "unknown" || ec2Instance.life === "terminated");
