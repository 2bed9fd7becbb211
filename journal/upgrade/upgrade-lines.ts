import { spoken } from "../../lambda/base/time.ts";
import { noteLines } from "../../lambda/notice/outcome.ts";
import type { UpgradeEnd, UpgradeEntry } from "../../lambda/upgrade/upgrade-entry.ts";
import { type Kinded, line, type ProgressLine, type Tone } from "../line.ts";

export const isOfUpgrade = (entry: Kinded): entry is UpgradeEntry =>
  entry.kind.startsWith("upgrade-");

export function upgradeLines(entry: UpgradeEntry): readonly ProgressLine[] {
  switch (entry.kind) {
    case "upgrade-pass":
      return [line("faint", `pass ${entry.receives}`, `${entry.command} ${entry.upgrade}`)];
    case "upgrade-launches":
      return [line("change", "launches by", `${entry.to} instead of ${entry.before}`)];
    case "upgrade-phase":
      return [line("plain", entry.phase, `${entry.old} old nodes, ${entry.fresh} new ones`)];
    case "upgrade-phase-over":
      return [line("faint", "over", `${entry.phase}, after ${spoken(entry.took)}`)];
    case "upgrade-sized":
      return [line("change", "resized", `desired ${entry.desired}, max ${entry.max}`)];
    case "upgrade-nodes":
      return [
        ...entry.nodes.map((node) => line(tones[entry.deed], entry.deed, node)),
        ...noteLines(entry.left).map((left) => line("careful", "", left)),
      ];
    case "upgrade-terminated":
      return entry.instances.map((instance) => line("change", "terminated", instance));
    case "upgrade-held":
      return [line("careful", "waiting", `${entry.reason}; looks again in ${spoken(entry.wait)}`)];
    case "upgrade-failing":
      return [line("bad", "failing", `${entry.code}: ${entry.message}`)];
    case "upgrade-answered":
      return [endLine(entry.end)];
  }
}

const tones: Readonly<Record<Extract<UpgradeEntry, { kind: "upgrade-nodes" }>["deed"], Tone>> = {
  validated: "good",
  doubted: "careful",
  counted: "faint",
  cordoned: "change",
  chosen: "change",
  drained: "good",
  blocked: "careful",
  "set-aside": "careful",
  replaced: "good",
  reopened: "change",
  restored: "change",
};

function endLine(end: UpgradeEnd): ProgressLine {
  switch (end.kind) {
    case "ended":
      return endedLines[end.outcome];
    case "paused":
      return line("careful", "paused", "nobody starts on further nodes until somebody resumes it");
    case "taken-over":
      return line("faint", "taken over", "a later message carries the upgrade on");
    case "refused":
      return line("bad", "refused", end.reasons.join("; "));
  }
}

const endedLines: Readonly<
  Record<Extract<UpgradeEnd, { kind: "ended" }>["outcome"], ProgressLine>
> = {
  done: line("good", "done", "all nodes are new, and the group has its sizes of before"),
  aborted: line("careful", "aborted", "the group is as it was, but for the nodes replaced so far"),
  failed: line("bad", "failed", "the group has its sizes of before, and some nodes are still old"),
  "set-aside": line(
    "careful",
    "not done",
    "all nodes are new but those that are set aside; the group keeps a node more for each",
  ),
  "rolled-back": line(
    "careful",
    "rolled back",
    "the group has its old nodes again, and its version and sizes of before",
  ),
  "scaled-elsewhere": line(
    "careful",
    "done",
    "all nodes are new; somebody else has scaled the group meanwhile, so its size stays as it is",
  ),
};
