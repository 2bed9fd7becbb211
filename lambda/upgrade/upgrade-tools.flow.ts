import type { Duration, Instant } from "../base/time.ts";
import type { NodeWrite } from "../drain/drain.port.ts";
import type { DrainPolicy } from "../drain/drain-policy.ts";
import type { MachineNode } from "../drain/node.ts";
import { bookmarkKeys } from "../group-work/upgrade-tags.ts";
import type { Pass } from "../notice/outcome.ts";
import type { ReportPolicy } from "../report/report-tools.flow.ts";
import type { Bookmark } from "./bookmark.ts";
import { progressTags } from "./bookmark-tags.ts";
import type { FailedWrites } from "./failed-writes.ts";
import type { ShiftReader } from "./read-shifts.flow.ts";
import type { UpgradeScene } from "./scene.ts";
import type { UpgradePorts } from "./upgrade.port.ts";
import type { UpgradeEnd } from "./upgrade-entry.ts";
import type { UpgradeCommand } from "./upgrade-message.ts";

export interface UpgradePolicy extends ReportPolicy {
  readonly drain: DrainPolicy;
  /** The keys of the taints that a new node has until it has been set up. */
  readonly startupTaints: readonly string[];
}

/** The tools of one pass of an upgrade. */
export interface UpgradeTools {
  readonly command: UpgradeCommand;
  readonly policy: UpgradePolicy;
  readonly ports: UpgradePorts;
  readonly passEnds: Instant;
  /** The version of the API server, which a pass reads once. */
  readonly server: () => Promise<string>;
  readonly shifts: ShiftReader;
  readonly failedWrites: FailedWrites;
}

export type UpgradePass = Pass<UpgradeEnd>;

/** The result of a step: look again at once, or end the pass. */
export type Acted = UpgradePass | "go on";

/** The message is done. */
export const done = (end: UpgradeEnd): UpgradePass => ({ kind: "done", outcome: end });

/** The message comes back after this time. */
export const again = (wait: Duration): UpgradePass => ({ kind: "again", wait });

/** Writes the progress of an upgrade to the tags. This comes before every change of the group. */
export async function bookmarkProgress(
  bookmark: Bookmark,
  change: Partial<
    Pick<
      Bookmark,
      | "aside"
      | "drains"
      | "entered"
      | "phase"
      | "roomFound"
      | "since"
      | "size"
      | "soak"
      | "unawaited"
      | "unhealthy"
      | "watched"
    >
  >,
  { command: { group }, ports: { clock, groups } }: UpgradeTools,
): Promise<void> {
  const now = clock.now();
  await groups.tag(group, progressTags({ ...bookmark, since: now, seen: now, ...change }));
}

/** Whether another pass has carried an upgrade on, or somebody has sent a command, since its group was read. */
export async function hasMovedOn(
  { group: { name, tags } }: Pick<UpgradeScene, "group">,
  { ports: { groups } }: UpgradeTools,
): Promise<boolean> {
  const now = (await groups.tagsOf([name])).get(name);
  return [bookmarkKeys.state, bookmarkKeys.progress].some((key) => now?.[key] !== tags[key]);
}

/** Writes a node, and notes whether that fails. Where others keep writing it, it fails too. */
export async function noted(
  node: Pick<MachineNode, "uid">,
  upgrade: string,
  write: () => Promise<NodeWrite>,
  { failedWrites, ports: { clock } }: UpgradeTools,
): Promise<NodeWrite> {
  const note = (said: "fails" | "works") => failedWrites.note(node, upgrade, said, clock.now());
  try {
    const answer = await write();
    if (answer !== "gone") note(answer === "marked" ? "works" : "fails");
    return answer;
  } catch (cause) {
    note("fails");
    throw cause;
  }
}
