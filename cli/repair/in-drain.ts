import { type Instant, later, timestamp } from "../../lambda/base/time.ts";
import type { Node } from "../../lambda/drain/node.ts";
import { rebootWait } from "../../lambda/repair/due-repair.ts";
import { tryRebootMark } from "../../lambda/repair/repair-marks.ts";
import type { ReasonWithRemedy } from "../remedies.ts";

/** The reasons of marks that may outlast their work: repairs that were switched off midway leave theirs. */
export const leftReasons: readonly string[] = ["ill"];

/** Refuses to open a node whose machine may start again at any moment. */
export function tryClosed(node: Node, now: Instant): ReasonWithRemedy | undefined {
  const mark = tryRebootMark(node);
  if (mark === undefined || mark.stage === "draining") return undefined;
  const until = later(mark.at, rebootWait);
  if (until <= now) return undefined;
  const why = `the function has asked EC2 to reboot the machine of node ${node.name}, which may take until ${timestamp(until)}`;
  return { why, remedy: "repeat the command then" };
}
