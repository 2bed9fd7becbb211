import { someOf } from "../lambda/base/counted.ts";
import type { HappeningOf } from "./happening.ts";
import { line, type ProgressLine } from "./line.ts";

/** An entry that tells of pods and their volumes. */
export type PodEntry = HappeningOf<
  | "grace-cut"
  | "making-room"
  | "pod-deleted"
  | "pod-evicted"
  | "pod-gone"
  | "pod-refused"
  | "pods-freed"
  | "pods-held"
  | "pods-protected"
  | "pods-seen"
  | "pods-stuck"
  | "volumes-awaited"
>;

/** Says what happened to pods, one line for each piece of news. */
export function podLines(entry: PodEntry): readonly ProgressLine[] {
  switch (entry.kind) {
    case "pods-seen":
      return [
        ...entry.holding.map((pod) => line("plain", "to evict", pod)),
        ...entry.skipped.map((pod) => line("faint", "left alone", pod)),
      ];
    case "pod-evicted":
      return [line("change", "evicted", `${entry.pod}, grace ${entry.graceSeconds} s`)];
    case "pod-deleted":
      return [deletionLine(entry)];
    case "grace-cut": {
      const { pod, graceSeconds, ownSeconds } = entry;
      return [line("careful", "cut short", `${pod}, grace ${graceSeconds} s of ${ownSeconds} s`)];
    }
    case "pods-held":
      return [line("careful", "held", budgetWords(entry))];
    case "pods-freed":
      return [line("plain", "freed", budgetWords(entry))];
    case "making-room":
      return [line(roomTones[entry.stage], "room", roomWords(entry))];
    case "pods-protected":
    case "pods-stuck":
      return entry.pods.map(({ pod, why }) => line("careful", "careful", `${pod}: ${why}`));
    case "pod-refused":
      return [line("careful", entry.why, `${entry.pod}: ${entry.message}`)];
    case "pod-gone":
      return [line("good", "gone", entry.pod)];
    default:
      return entry.volumes.map((volume) => line("plain", "volume", `${volume} is still attached`));
  }
}

const roomTones = {
  "given up": "careful",
  "not tried": "careful",
  made: "good",
  "put back": "change",
  surged: "change",
} as const;

/** Says what was done about the count of a workload, and why. */
export function roomWords({ workload, stage, from, to, why }: HappeningOf<"making-room">): string {
  const count = from === to ? "" : ` ${from} → ${to}`;
  return `${stage}: ${workload}${count}: ${why}`;
}

function deletionLine({ pod, graceSeconds, past }: HappeningOf<"pod-deleted">): ProgressLine {
  const overruled = past === "" ? "" : `, past ${past}`;
  return line("careful", "deleted", `${pod}, grace ${graceSeconds} s, by force${overruled}`);
}

const mostNames = 3;

/** Names the pods and their budget; of many pods, the first three and how many more there are. */
function budgetWords(entry: HappeningOf<"pods-freed" | "pods-held">): string {
  const { pods, budget, healthy, desired, allowed } = entry;
  return `${someOf(pods, mostNames)}: budget ${budget}, ${healthy} healthy of ${desired} desired, ${allowed} allowed`;
}
