import { type Happening, leftBy, ofKind, podsGone, tryWhyLeft } from "../../journal/happening.ts";
import type { Outcome } from "../../journal/outcome.ts";
import { howOf, rowOf, wordsOfOutcome } from "../../journal/outcome-table.ts";
import { shortName } from "../../journal/timeline.ts";
import { counted } from "../../lambda/base/counted.ts";
import type { Fault } from "../../lambda/base/fault.ts";
import { between, type Instant, spoken } from "../../lambda/base/time.ts";
import type { Taint } from "../../lambda/drain/node.ts";
import { ownTaintText } from "../../lambda/drain/own-taint.ts";
import { noteLines } from "../../lambda/notice/outcome.ts";
import { lateness } from "../../lambda/report/end-events.ts";
import { exitCodes } from "../exit-code.ts";
import type { EndOf } from "../progress/report.ts";
import { type Remedies, reasonOf } from "../remedies.ts";
import { forcedIn } from "../replay/verdict.ts";

/** The end of the work on a node. */
export type DrainEnding =
  | { readonly kind: "outcome"; readonly outcome: Outcome }
  | { readonly kind: "stopped" }
  | { readonly kind: "fault"; readonly fault: Fault };

/** The work on a node, and its entries. */
export interface DrainStory {
  readonly node: string;
  readonly ending: DrainEnding;
  readonly from: Instant;
  readonly to: Instant;
  readonly happenings: readonly Happening[];
  /** The taints that its mark has. */
  readonly taints: readonly Taint[];
  readonly remedies: Remedies;
}

/** Judges a drain: for programs, and for people in several lines, one for each pod that is left. */
export function endOf(story: DrainStory): {
  readonly end: EndOf<"drain-end">;
  readonly lines: readonly string[];
} {
  const { node, from, to, happenings } = story;
  const { lines, ...verdict } = verdictOn(story);
  const end = {
    kind: "drain-end",
    node,
    elapsed: between(from, to) / 1000,
    gone: podsGone(happenings),
    forced: forcedIn(story),
    line: lines.join("; "),
    ...verdict,
  } as const;
  return { end, lines };
}

/** The end of the undo on a node. */
export const openedEnd = (node: string, line: string): EndOf<"drain-end"> => ({
  kind: "drain-end",
  node,
  ending: "opened",
  exitCode: exitCodes.done,
  line,
  elapsed: 0,
  gone: [],
  forced: [],
  left: [],
});

interface Verdict extends Pick<EndOf<"drain-end">, "ending" | "exitCode" | "left"> {
  readonly lines: readonly string[];
}

function verdictOn(story: DrainStory): Verdict {
  const { ending, node } = story;
  const left = leftOf(story);
  const { notDone: exitCode } = exitCodes;
  if (ending.kind === "stopped")
    return { ending: "stopped", exitCode, left, lines: stoppedLines(story, left) };
  if (ending.kind === "fault") {
    const { why, remedy } = reasonOf(ending.fault, story.remedies);
    const lines = [`${why}; ${remedy}`, ...markLines(story)];
    return { ending: "failed", exitCode: exitCodes.fault, left, lines };
  }
  const { outcome } = ending;
  if (rowOf(outcome).exit === "done") {
    const lines = [doneLine(story, outcome)];
    return { ending: "drained", exitCode: exitCodes.done, left: [], lines };
  }
  const why = left.length > 0 ? left : [wordsOfOutcome(outcome)];
  const lines = [`${shortName(node)} is not drained`, ...why, ...markLines(story)];
  return { ending: "not-drained", exitCode, left, lines };
}

function doneLine(story: DrainStory, outcome: Outcome): string {
  const { node, from, to, happenings } = story;
  const gone = podsGone(happenings).length;
  const isDrain = outcome.kind === "drained" || outcome.kind === "forced";
  const how = isDrain ? `${howOf(outcome)}${lateness(outcome)}` : wordsOfOutcome(outcome);
  return `drained ${shortName(node)} in ${spoken(between(from, to))}: ${counted(gone, "pod")} gone${how}; it stays cordoned until its instance ends, or until \`${undoOf(story)}\``;
}

const stoppedLines = (story: DrainStory, left: readonly string[]): readonly string[] => [
  "stopped: no further pod is evicted",
  ...left.map((pod) => `still there: ${pod}`),
  ...markLines(story),
];

/**
 * The remains of our mark, and the commands that continue or undo the drain; empty if the node was
 * not marked.
 */
function markLines(story: DrainStory): readonly string[] {
  const { node, ending, happenings } = story;
  const marks = ofKind(happenings, "node-marked").length + ofKind(happenings, "pods-seen").length;
  return isGone(ending) || marks === 0
    ? []
    : [
        `node ${node} keeps its mark: repeat the command to go on, or open it with \`${undoOf(story)}\``,
      ];
}

const undoOf = ({ node, taints }: DrainStory): string => `drain ${node} ${undoOptions(taints)}`;

/** The options that take all of a mark off a node. */
export const undoOptions = (taints: readonly Taint[]): string =>
  taints.length === 0 ? "--undo" : `--undo --taint ${ownTaintText(taints)}`;

const isGone = (ending: DrainEnding): boolean =>
  ending.kind === "outcome" && ["instance-ended", "no-node"].includes(ending.outcome.kind);

/** The pods and volumes left on the node, as the last pass reported them. */
function leftOf({ ending, happenings }: DrainStory): readonly string[] {
  if (ending.kind === "outcome") return noteLines(leftBy(ending.outcome));
  const seen = ofKind(happenings, "pods-seen").at(-1);
  const gone = podsGone(happenings.filter(({ at }) => at >= (seen?.at ?? at)));
  const said = ofKind(happenings, "pass-ended").at(-1)?.left ?? [];
  return (seen?.holding ?? [])
    .filter((pod) => !gone.includes(pod))
    .map((pod) => {
      const why = tryWhyLeft(pod, said);
      return why === undefined ? pod : `${pod}: ${why}`;
    });
}
