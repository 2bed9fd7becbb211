import type { DrainPolicy } from "../domain/drain-policy.ts";
import type { Notice } from "../domain/notice.ts";
import type { Pass } from "../domain/outcome.ts";
import type { Ports } from "../ports.ts";
import { drainNode } from "./drain-node.ts";

/** A notice, as often as it has been received. */
export interface Received {
  readonly notice: Notice;
  readonly receives: number;
}

/** Does one pass of the work that a notice asks for. */
export async function workOnNotice(
  { notice, receives }: Received,
  policy: DrainPolicy,
  ports: Ports,
): Promise<Pass> {
  switch (notice.kind) {
    case "terminating":
      return drainNode({ notice, receives }, policy, ports);
    case "test":
      return { kind: "done", outcome: { kind: "tested" } };
    case "unrelated":
      return ignored(notice.reason);
    case "launching":
    case "interrupted":
    case "at-risk":
    case "maintenance":
    case "stopping":
    case "stopped":
      return ignored(`a notice of kind ${notice.kind} asks for nothing that this version does`);
  }
}

const ignored = (reason: string): Pass => ({ kind: "done", outcome: { kind: "ignored", reason } });
