import type { DrainPolicy } from "../../domain/drain/drain-policy.ts";
import type { LaunchPolicy } from "../../domain/launch/launch-policy.ts";
import type { Notice } from "../../domain/notice/notice.ts";
import type { Pass } from "../../domain/notice/outcome.ts";
import type { LaunchPorts } from "../../ports/ports.ts";
import { drainNode } from "../drain/drain-node.ts";
import { registerNode } from "../launch/register-node.ts";

/** A notice, as often as it has been received. */
export interface Received {
  readonly notice: Notice;
  readonly receives: number;
}

/** How this deployment works on its notices. */
export interface Policies {
  readonly drain: DrainPolicy;
  readonly launch: LaunchPolicy;
}

/** Does one pass of the work that a notice asks for. */
export async function workOnNotice(
  { notice, receives }: Received,
  { drain, launch }: Policies,
  ports: LaunchPorts,
): Promise<Pass> {
  switch (notice.kind) {
    case "terminating":
      return drainNode({ notice, receives }, drain, ports);
    case "test":
      return { kind: "done", outcome: { kind: "tested" } };
    case "unrelated":
      return ignored(notice.reason);
    case "launching":
      return registerNode({ notice, receives }, launch, ports);
    case "interrupted":
    case "at-risk":
    case "maintenance":
    case "stopping":
    case "stopped":
      return ignored(`a notice of kind ${notice.kind} asks for nothing that this version does`);
  }
}

const ignored = (reason: string): Pass => ({ kind: "done", outcome: { kind: "ignored", reason } });
