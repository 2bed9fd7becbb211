import type { Tone } from "../../journal/line.ts";
import type { Picture } from "../../journal/picture.ts";
import {
  clock,
  type TimelineMark,
  type TimelineRow,
  type TimelineSpan,
  type TimelineStory,
} from "../../journal/timeline.ts";
import { timelineRows } from "../../journal/timeline-rows.ts";
import { legible } from "../../lambda/base/legible.ts";
import { between, type Instant } from "../../lambda/base/time.ts";
import type { Glyphs } from "../terminal/glyphs.ts";
import { type TerminalRow as DrawnRow, span } from "../terminal/output.ts";
import { wrapped } from "../terminal/wrap.ts";

/** The drawing area of a timeline. */
export interface Canvas {
  /** The width of a line, in characters. */
  readonly width: number;
  readonly glyphs: Glyphs;
}

interface ChartStroke {
  readonly glyph: string;
  readonly tone: Tone;
}

const nothing: ChartStroke = { glyph: " ", tone: "plain" };
type Strokes = Readonly<Record<TimelineSpan["kind"] | TimelineMark["kind"], ChartStroke>>;

const strokesOf = (glyphs: Glyphs): Strokes => ({
  "on the node": { glyph: glyphs.onNode, tone: "faint" },
  held: { glyph: glyphs.held, tone: "careful" },
  ending: { glyph: glyphs.ending, tone: "change" },
  awaited: { glyph: glyphs.awaited, tone: "careful" },
  pass: { glyph: glyphs.pass, tone: "faint" },
  phase: { glyph: glyphs.phase, tone: "good" },
  elsewhere: { glyph: glyphs.elsewhere, tone: "good" },
  heartbeat: { glyph: glyphs.heartbeat, tone: "faint" },
  done: { glyph: glyphs.done, tone: "good" },
  fault: { glyph: glyphs.fault, tone: "bad" },
});

const meanings: Readonly<Record<TimelineSpan["kind"] | TimelineMark["kind"], string>> = {
  "on the node": "on the node",
  held: "held by a budget",
  ending: "ending",
  awaited: "awaited",
  pass: "pass",
  phase: "phase",
  elsewhere: "running elsewhere",
  heartbeat: "heartbeat",
  done: "done",
  fault: "fault",
};

/** The legend of the glyphs in these rows. */
function legendOf(rows: readonly TimelineRow[], strokes: Strokes): string {
  const kinds = new Set(
    rows.flatMap(({ spans, marks }) => [...spans, ...marks].map(({ kind }) => kind)),
  );
  return Object.entries(meanings)
    .flatMap(([kind, meaning]) =>
      [...kinds].filter((one) => one === kind).map((one) => `${strokes[one].glyph} ${meaning}`),
    )
    .join("  ");
}

/** The width if that of the output is unknown: enough for names, bars and notes. */
export const usualWidth = 140;

const longestLabel = 44;
const leastBar = 10;

type Drawn = Pick<Picture, "from" | "rows" | "to">;

/** Draws bars over time: a line for the node, for each pod, and for the hook; empty if there is only a hook. */
export const timelineChart = (story: TimelineStory, canvas: Canvas): readonly DrawnRow[] =>
  chartOf({ ...story, rows: timelineRows(story) }, canvas);

/** Draws the rows of a picture, one line each. */
export function chartOf(drawn: Drawn, canvas: Canvas): readonly DrawnRow[] {
  const { width, glyphs } = canvas;
  const { rows } = drawn;
  if (rows.length < 2) return [];
  const longest = Math.min(longestLabel, width - leastBar - 2);
  const labels = rows.map(({ label }) => shortened(legible(label), longest, glyphs.ellipsis));
  const labelWidth = Math.max(...labels.map((label) => label.length));
  const noteWidth = Math.max(...rows.map(({ note }) => legible(note).length));
  const room = width - labelWidth - 4;
  const beside = room - noteWidth >= leastBar;
  const bar = Math.max(leastBar, beside ? room - noteWidth : room);
  const lines = rows.map((row, index) => {
    const label = (labels[index] ?? "").padEnd(labelWidth);
    const strokes = barOf(row, drawn, bar, strokesOf(glyphs));
    const cells = strokes.map(({ glyph, tone }) => span(tone, glyph));
    if (beside && row.note !== "") return [`${label}  `, ...cells, "  ", span("faint", row.note)];
    return [`${label}  `, ...cells.slice(0, strokes.findLastIndex((one) => one !== nothing) + 1)];
  });
  const end = clock(between(drawn.from, drawn.to));
  const legend = wrapped(legendOf(rows, strokesOf(glyphs)), width).map((line) => [
    span("faint", line),
  ]);
  const scale = `0 s${end.padStart(bar - 3)}`;
  return [[`${" ".repeat(labelWidth)}  `, span("faint", scale)], ...lines, ...legend];
}

function barOf(
  { spans, marks }: TimelineRow,
  { from, to }: Drawn,
  width: number,
  strokes: Strokes,
) {
  const column = (at: Instant): number => {
    const share = between(from, at) / Math.max(1, between(from, to));
    return Math.min(width - 1, Math.max(0, Math.floor(share * width)));
  };
  const cells = Array.from({ length: width }, (): ChartStroke => nothing);
  for (const span of spans.filter((one) => one.to > one.from)) {
    const last = span.to >= to ? width : Math.max(column(span.from) + 1, column(span.to));
    cells.fill(strokes[span.kind], column(span.from), last);
  }
  for (const { kind, at } of marks) cells[column(at)] = strokes[kind];
  return cells;
}

/** Shortens a text in the middle, because both ends distinguish pods. */
function shortened(text: string, length: number, ellipsis: string): string {
  if (text.length <= length) return text;
  const tail = Math.ceil((length - 1) / 2);
  return `${text.slice(0, length - 1 - tail)}${ellipsis}${text.slice(-tail)}`;
}
