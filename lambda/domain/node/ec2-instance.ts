import type { NodeName } from "../ids.ts";
import type { Instant } from "../time.ts";
import type { Node } from "./node.ts";

/** What an instance runs. */
export type Platform = "linux" | "windows";

/** The machine behind a node. */
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

/** The names under which the node of a machine may have registered; none when it is unknown. */
export const namesOf = (machine: Ec2Instance | "unknown"): readonly NodeName[] =>
  machine === "unknown" ? [] : machine.names;

/**
 * Whether the machine of a node has ended, so that nothing on the node is left to save. Both of these:
 * - the node does not say that it is ready: what EC2 tells may lag behind, and a node at work is drained;
 * - EC2 says that the machine has been terminated, or knows it no more.
 */
export const hasEnded = ({ readiness }: Node, machine: Ec2Instance | "unknown"): boolean =>
  readiness !== "ready" && (machine === "unknown" || machine.life === "terminated");
