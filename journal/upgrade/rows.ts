import { counted } from "../../lambda/base/counted.ts";
import { between, earliest, type Instant, later } from "../../lambda/base/time.ts";
import { noteLines } from "../../lambda/notice/outcome.ts";
import { type HappeningOf, ofKind } from "../happening.ts";
import { wordsOf } from "../progress-line.ts";
import {
  clock,
  passNote,
  type RowState,
  shortName,
  type TimelineMark,
  type TimelineRow,
  type TimelineSpan,
} from "../timeline.ts";
import type { UpgradeStory } from "./story.ts";

/** The rows of an upgrade: its phases, every old node, the new ones, the sizes of the group, waits and passes. */
export const upgradeRows = (story: UpgradeStory): readonly TimelineRow[] => [
  ...phaseRows(story),
  ...oldNodeRows(story),
  ...newNodesRow(story),
  ...sizesRow(story),
  ...waitsRow(story),
  passesRow(story),
];

type PhaseStart = Pick<HappeningOf<"upgrade-phase">, "at" | "phase">;

/** The phases. An upgrade begins with its set-up, which has no entry. */
function phaseRows(story: UpgradeStory): readonly TimelineRow[] {
  const phases = ofKind(story.happenings, "upgrade-phase");
  if (phases.length === 0) return [];
  const begun: readonly PhaseStart[] = [{ phase: "set-up", at: story.from }, ...phases];
  const spans = begun.map(({ phase, at }, index) => {
    const to = begun[index + 1]?.at ?? story.to;
    return { label: phase, span: { kind: "phase", from: at, to, reason: phase } as const };
  });
  return Array.from(
    Map.groupBy(spans, ({ label }) => label),
    ([label, all]) => {
      const seconds = all.map(({ span }) => between(span.from, span.to));
      const took = seconds.map((one) => clock(one)).join(" and ");
      const isLast = label === begun.at(-1)?.phase && story.end.kind !== "ended";
      const state: RowState = isLast ? "open" : "done";
      const note = isLast ? `for ${took}` : `took ${took}`;
      return { kind: "phase", label, state, spans: all.map(({ span }) => span), marks: [], note };
    },
  );
}

function newNodesRow(story: UpgradeStory): readonly TimelineRow[] {
  const changes = ofKind(story.happenings, "upgrade-nodes");
  const marks = changes.flatMap(({ deed, nodes, at }): readonly TimelineMark[] => {
    if (deed !== "validated" && deed !== "doubted") return [];
    return [
      { kind: deed === "doubted" ? "fault" : "done", at, reason: `${deed}: ${nodes.join(", ")}` },
    ];
  });
  if (marks.length === 0) return [];
  const valid = changes.flatMap(({ deed, nodes }) => (deed === "validated" ? nodes : []));
  const note = `${new Set(valid).size} were valid`;
  return [{ kind: "fresh", label: "new nodes", state: "done", spans: [], marks, note }];
}

function sizesRow(story: UpgradeStory): readonly TimelineRow[] {
  const sizes = ofKind(story.happenings, "upgrade-sized");
  const last = sizes.at(-1);
  if (last === undefined) return [];
  const words = ({ desired, max }: typeof last) => `desired ${desired}, max ${max}`;
  const marks = sizes.map(
    (one): TimelineMark => ({ kind: "done", at: one.at, reason: words(one) }),
  );
  const most = Math.max(...sizes.map(({ desired }) => desired));
  const note = `desired ${most} at most, ${last.desired} in the end`;
  return [{ kind: "sizes", label: "sizes", state: "done", spans: [], marks, note }];
}

/** The rows of an upgrade's waits: brakes, windows, load balancers, new nodes, and pauses. */
function waitsRow(story: UpgradeStory): readonly TimelineRow[] {
  const { happenings, to } = story;
  const awaited = { kind: "awaited" } as const;
  const passes = ofKind(happenings, "upgrade-pass");
  const spans = happenings.flatMap((one): readonly TimelineSpan[] => {
    const next = earliest(to, ...passes.filter(({ at }) => at > one.at).map(({ at }) => at));
    const bounds = { from: one.at, to: next };
    if (one.kind === "upgrade-held")
      return [
        { ...awaited, ...bounds, to: earliest(next, later(one.at, one.wait)), reason: one.reason },
      ];
    const isPause = one.kind === "upgrade-answered" && one.end.kind === "paused";
    return isPause ? [{ ...awaited, ...bounds, reason: "paused" }] : [];
  });
  if (spans.length === 0) return [];
  const isPaused = story.end.kind === "paused";
  const note = isPaused ? "paused" : counted(spans.length, "wait");
  return [
    { kind: "waits", label: "waits", state: isPaused ? "waiting" : "done", spans, marks: [], note },
  ];
}

function passesRow(story: UpgradeStory): TimelineRow {
  const { happenings, end } = story;
  const begun = ofKind(happenings, "upgrade-pass");
  const spans = begun.map(({ at, receives, messageId }, index): TimelineSpan => {
    const next: Instant | undefined = begun[index + 1]?.at;
    const last = happenings.findLast(
      (one) =>
        one.source === "function" && one.messageId === messageId && one.at <= (next ?? one.at),
    );
    return { kind: "pass", from: at, to: last?.at ?? at, reason: `pass ${receives}` };
  });
  const faults = happenings.filter(({ kind }) => kind === "fault" || kind === "upgrade-failing");
  const ends = ofKind(happenings, "upgrade-answered").filter((one) => one.end === end);
  const mark = (kind: TimelineMark["kind"]) => (one: (typeof happenings)[number]) => ({
    kind,
    at: one.at,
    reason: wordsOf(one),
  });
  const isWell = end.kind === "ended" && end.outcome !== "failed";
  return {
    kind: "passes",
    label: "passes",
    state: end.kind === "ended" ? "done" : "open",
    spans,
    marks: [...faults.map(mark("fault")), ...ends.map(mark(isWell ? "done" : "fault"))],
    note: passNote(begun.length, faults.length),
  };
}

type NodesHappening = HappeningOf<"upgrade-nodes">;

/** A row for each old node, in the order of their attempts: its drains, what held them, and its end. */
function oldNodeRows(story: UpgradeStory): readonly TimelineRow[] {
  const changes = ofKind(story.happenings, "upgrade-nodes");
  const chosen = changes.flatMap(({ deed, nodes }) => (deed === "chosen" ? nodes : []));
  const waiting = changes.flatMap(({ deed, nodes }) => (deed === "cordoned" ? nodes : []));
  return [...new Set([...chosen, ...waiting])].map((node) =>
    rowOf(
      node,
      changes.filter(({ nodes }) => nodes.includes(node)),
      story,
    ),
  );
}

function rowOf(node: string, deeds: readonly NodesHappening[], story: UpgradeStory): TimelineRow {
  const attempts = deeds.flatMap((one, index) =>
    attemptSpans(one, deeds[index + 1]?.at ?? story.to),
  );
  return {
    kind: "old",
    label: shortName(node),
    state: states[last(deeds)],
    spans: [...attempts, ...heldSpans(node, attempts, story)],
    marks: deeds.flatMap((one) => markOf(one)),
    note: noteOf(deeds, story),
  };
}

const last = (deeds: readonly NodesHappening[]): NodesHappening["deed"] =>
  deeds.at(-1)?.deed ?? "cordoned";

const states: Readonly<Record<NodesHappening["deed"], RowState>> = {
  validated: "open",
  doubted: "open",
  counted: "open",
  cordoned: "open",
  chosen: "ending",
  drained: "waiting",
  blocked: "held",
  "set-aside": "held",
  reopened: "held",
  replaced: "gone",
  restored: "open",
};

function attemptSpans({ deed, at: from }: NodesHappening, to: Instant): readonly TimelineSpan[] {
  if (deed === "chosen") return [{ kind: "ending", from, to, reason: "is drained" }];
  const reason = "drained, and kept until load balancers have deregistered it";
  return deed === "drained" ? [{ kind: "awaited", from, to, reason }] : [];
}

/** When budgets held pods of a node, within its attempts. */
function heldSpans(
  node: string,
  attempts: readonly TimelineSpan[],
  { happenings }: UpgradeStory,
): readonly TimelineSpan[] {
  const budgets = happenings.filter(
    (one) => (one.kind === "pods-held" || one.kind === "pods-freed") && one.node === node,
  ) as readonly HappeningOf<"pods-freed" | "pods-held">[];
  return budgets.flatMap((one, index): readonly TimelineSpan[] => {
    const attempt = attempts.find(({ from, to }) => from <= one.at && one.at <= to);
    if (one.kind !== "pods-held" || attempt === undefined) return [];
    const next = budgets.slice(index + 1).find(({ budget }) => budget === one.budget);
    const to = earliest(attempt.to, next?.at ?? attempt.to);
    const { healthy, desired, budget } = one;
    const health = `${healthy} healthy of ${desired} desired`;
    return [{ kind: "held", from: one.at, to, reason: `held by ${budget}, ${health}` }];
  });
}

function markOf({ deed, at, left }: NodesHappening): readonly TimelineMark[] {
  switch (deed) {
    case "blocked":
      return [{ kind: "fault", at, reason: `blocked: ${noteLines(left).join("; ")}` }];
    case "set-aside":
      return [{ kind: "fault", at, reason: "is set aside, cordoned" }];
    case "replaced":
      return [{ kind: "done", at, reason: "its instance is terminated" }];
    case "restored":
      return [{ kind: "done", at, reason: "its marks are taken off" }];
    default:
      return [];
  }
}

function noteOf(deeds: readonly NodesHappening[], { from }: UpgradeStory): string {
  const at = clock(between(from, deeds.at(-1)?.at ?? from));
  const left = deeds.findLast(({ deed }) => deed === "blocked")?.left ?? [];
  const blocked = `blocked: ${noteLines(left).join("; ")}`;
  const words: Readonly<Record<NodesHappening["deed"], string>> = {
    validated: "valid",
    doubted: "not valid",
    counted: "waits for its drain",
    cordoned: "waits for its drain",
    chosen: "is drained",
    drained: "drained",
    blocked,
    "set-aside": `set aside; ${blocked}`,
    reopened: blocked,
    replaced: `replaced at ${at}`,
    restored: left.length === 0 ? "open again" : `open again; ${blocked}`,
  };
  return words[last(deeds)];
}
