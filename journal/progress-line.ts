import { someOf } from "../lambda/base/counted.ts";
import { spoken } from "../lambda/base/time.ts";
import { exclusionLabel } from "../lambda/drain/marking.ts";
import { noteLines } from "../lambda/notice/outcome.ts";
import type { Happening, HappeningOf } from "./happening.ts";
import { line, type ProgressLine } from "./line.ts";
import { rowOf, wordsOfOutcome } from "./outcome-table.ts";
import { isOwn, own } from "./own.ts";
import { shortName } from "./timeline.ts";

/** The lines of progress for an entry. Entries that only confirm another have none. */
export function progressLines(happening: Happening): readonly ProgressLine[] {
  return happening.source === "function" ? entryLines(happening) : worldLines(happening);
}

/** The lines of progress for an entry, on one line. */
export const wordsOf = (happening: Happening): string =>
  progressLines(happening)
    .map(({ verb, detail }) => `${verb} ${detail}`.trim())
    .join("; ");

type FunctionHappening = Happening & { readonly source: "function" };
type WorldHappening = Happening & { readonly source: "world" };

function entryLines(entry: FunctionHappening): readonly ProgressLine[] {
  if (isOwn(entry)) return own.flatMap(({ lines }) => lines(entry));
  switch (entry.kind) {
    case "pass-started":
      return [line("faint", `pass ${entry.receives}`, entry.notice)];
    case "heartbeat":
      return [line("faint", "heartbeat", `${entry.hook} goes on holding ${entry.instance}`)];
    case "role-registered":
      return [registrationLine(entry)];
    case "node-awaited":
      return [line("careful", "waiting", entry.reason)];
    case "hook-completed": {
      const { hook, instance, token } = entry.action;
      return [line("good", "completed", `${hook} of ${instance}: ${entry.result}, token ${token}`)];
    }
    case "pass-ended":
      return [
        line("careful", "not done", `comes back in ${spoken(entry.wait)}`),
        ...noteLines(entry.left).map((left) => line("careful", "", left)),
      ];
    case "notice-done":
      return [line(rowOf(entry.outcome).tone, "done", wordsOfOutcome(entry.outcome))];
    case "targets-awaited":
      return entry.targets.map((target) => line("careful", "held by", target));
    case "targets-gone":
      return [line("good", "let go", `no load balancer holds ${shortName(entry.node)} any more`)];
    case "targets-deregistered":
      return entry.targets.map((target) => line("change", "taken out", target));
    case "warning":
      return [line("careful", "careful", `${entry.about}: ${entry.warnings.join("; ")}`)];
    case "fault":
      return [line("bad", "fault", entry.message)];
    case "drain-news":
    case "measured":
      return [];
    default:
      return nodeLines(entry);
  }
}

type NodeEntry =
  | HappeningOf<"drain-late" | "node-found" | "node-marked" | "mark-tightened" | "mark-undone">
  | HappeningOf<"maintenance-planned" | "node-cordoned" | "node-removed" | "out-of-service">;

function nodeLines(entry: NodeEntry | PodEntry): readonly ProgressLine[] {
  switch (entry.kind) {
    case "node-found":
      return [line("plain", "node found", `${entry.node} is ${entry.instance}`)];
    case "node-marked":
      return markLines(entry);
    case "mark-tightened":
      return [line("careful", tightenedWord(entry), `${entry.node}: ${causeWords(entry)}`)];
    case "drain-late":
      return [line("careful", "late", `${entry.node}: evicts all the same, by ${entry.deadline}`)];
    case "mark-undone":
      return [line("change", "opened", `${entry.node}: our mark is taken back`)];
    case "node-cordoned":
      return [line("change", "cordoned", `${entry.node}, until ${entry.until} if nothing happens`)];
    case "maintenance-planned":
      return [line("careful", "planned work", plannedWords(entry))];
    case "node-removed":
      return [line("change", "removed", `node ${entry.node}, for ${entry.instance} is gone`)];
    case "out-of-service":
      return [line("change", "taint", `${entry.node}: out of service, ${entry.taint}`)];
    default:
      return podLines(entry);
  }
}

function registrationLine({ role, platform, access }: HappeningOf<"role-registered">) {
  const { by, change, version } = access;
  const where = version === "" ? by : `${by}, version ${version}`;
  return change === "added"
    ? line("change", "registered", `${role} as a node (${platform}), by ${where}`)
    : line("faint", "registered", `${role} was, by ${where}`);
}

const plannedWords = ({ node, starts }: HappeningOf<"maintenance-planned">): string =>
  starts === ""
    ? `AWS has called off its work on the host of ${node}`
    : `AWS works on the host of ${node} from ${starts} on`;

const tightenedWord = ({ markOf }: HappeningOf<"mark-tightened">): string => {
  if (markOf === "late") return "time anew";
  return markOf === "upgrade" ? "new reason" : "nearer end";
};

/** Why a node is marked, and until when it has to be drained. */
const causeWords = ({ reason, deadline }: HappeningOf<"mark-tightened" | "node-marked">): string =>
  deadline === "" ? reason : `${reason}, to be drained by ${deadline}`;

function markLines(mark: HappeningOf<"node-marked">) {
  const { labelled, cordoned } = mark;
  const already = (whose: string) => (whose === "ours" ? "" : ", by somebody else before");
  return [
    line("change", "labelled", `${exclusionLabel}${already(labelled)}`),
    line("change", "cordoned", `${mark.node}${already(cordoned)}: ${causeWords(mark)}`),
  ];
}

function worldLines(happening: WorldHappening): readonly ProgressLine[] {
  switch (happening.kind) {
    case "published":
      return [line("faint", "published", happening.to)];
    case "pod-running": {
      const instead = happening.replaces === "" ? "" : `, for ${happening.replaces}`;
      return [
        line("good", "running", `${happening.pod} on ${shortName(happening.node)}${instead}`),
      ];
    }
    case "action-ended":
      // If the function completed the hook, it has an entry of its own about that.
      return happening.by === "call"
        ? []
        : [line("careful", "released", `${happening.hook}: ${happening.result}, ${happening.by}`)];
    case "output":
      return [line("faint", "output", happening.text)];
    default:
      return happening.how === "failed" ? [line("bad", "failed", happening.error)] : [];
  }
}

/** An entry about pods and their volumes. */
type PodEntry = HappeningOf<
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

/** The lines about pods. */
function podLines(entry: PodEntry): readonly ProgressLine[] {
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
      return [freedLine(entry)];
    case "making-room":
      return [line(roomTones[entry.stage], "room", roomWords(entry))];
    case "pods-protected":
    case "pods-stuck":
      return entry.pods.map(({ pod, why }) => line("careful", "careful", `${pod}: ${why}`));
    case "pod-refused":
      return [line("careful", entry.why, `${entry.pod}: ${refusalWords(entry)}`)];
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

/** The change of a workload's replicas and its reason, in words. */
function roomWords({ workload, stage, from, to, why }: HappeningOf<"making-room">): string {
  const count = from === to ? "" : ` ${from} → ${to}`;
  return `${stage}: ${workload}${count}: ${why}`;
}

function deletionLine({ pod, graceSeconds, past }: HappeningOf<"pod-deleted">): ProgressLine {
  const overruled = past === "" ? "" : `, past ${past}`;
  return line("careful", "deleted", `${pod}, grace ${graceSeconds} s, by force${overruled}`);
}

/** The answer to a refused request; of a deletion by force also what made it necessary. */
export const refusalWords = ({ verb, past, message }: HappeningOf<"pod-refused">): string =>
  verb === "evict" ? message : `its deletion past ${past || "nothing"} was refused: ${message}`;

const freedLine = (entry: HappeningOf<"pods-freed">): ProgressLine =>
  entry.by === "budget"
    ? line("plain", "freed", budgetWords(entry))
    : line("careful", "overdue", `${budgetWords(entry)}, which force no longer waits for`);

const mostNames = 3;

/** Names the pods and their budget; of many pods the first three, and how many more there are. */
function budgetWords(entry: HappeningOf<"pods-freed" | "pods-held">): string {
  const { pods, budget, healthy, desired, allowed } = entry;
  return `${someOf(pods, mostNames)}: budget ${budget}, ${healthy} healthy of ${desired} desired, ${allowed} allowed`;
}
