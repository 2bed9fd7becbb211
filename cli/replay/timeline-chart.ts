import {
  clock,
  type Mark,
  type Row,
  type Span,
  type Story,
  timelineRows,
} from "../../journal/timeline.ts";
import type { Tone } from "../../journal/tone.ts";
import { between, type Instant } from "../../lambda/domain/time.ts";
import type { Paint } from "../paint.ts";

/** How a timeline is drawn. */
export interface Canvas {
  /** How wide a line may be. */
  readonly width: number;
  readonly paint: Paint;
}

interface Stroke {
  readonly glyph: string;
  readonly tone: Tone;
}

const nothing: Stroke = { glyph: " ", tone: "plain" };
const strokes: Readonly<Record<Span["kind"] | Mark["kind"], Stroke>> = {
  "on the node": { glyph: "░", tone: "faint" },
  held: { glyph: "▒", tone: "careful" },
  ending: { glyph: "█", tone: "change" },
  elsewhere: { glyph: "▲", tone: "good" },
  heartbeat: { glyph: "·", tone: "faint" },
  done: { glyph: "●", tone: "good" },
};
const legend =
  "░ on the node  ▒ held by a budget  █ ending  ▲ running elsewhere  · heartbeat  ● done";
const longestLabel = 44;
const leastBar = 10;

/** Draws bars over time: a line for the node, for each pod, and for the hook; nothing for a hook alone. */
export function timelineChart(story: Story, { width, paint }: Canvas): readonly string[] {
  const rows = timelineRows(story);
  if (rows.length < 2) return [];
  const labels = rows.map(({ label }) => shortened(label, longestLabel));
  const labelWidth = Math.max(...labels.map((label) => label.length));
  const noteWidth = Math.max(...rows.map(({ note }) => note.length));
  const room = width - labelWidth - 4;
  const beside = room - noteWidth >= leastBar;
  const bar = Math.max(leastBar, beside ? room - noteWidth : room);
  const lines = rows.map((row, index) => {
    const label = (labels[index] ?? "").padEnd(labelWidth);
    const drawn = barOf(row, story, bar).map(({ glyph, tone }) => paint(tone, glyph));
    const note = beside ? `  ${paint("faint", row.note)}` : "";
    return `${label}  ${drawn.join("")}${note}`.trimEnd();
  });
  const end = clock(between(story.from, story.to));
  const scale = `0 s${end.padStart(bar - 3)}`;
  return [`${" ".repeat(labelWidth)}  ${paint("faint", scale)}`, ...lines, paint("faint", legend)];
}

function barOf({ spans, marks }: Row, { from, to }: Story, width: number): readonly Stroke[] {
  const column = (at: Instant): number => {
    const share = between(from, at) / Math.max(1, between(from, to));
    return Math.min(width - 1, Math.max(0, Math.floor(share * width)));
  };
  const cells = Array.from({ length: width }, () => nothing);
  for (const span of spans.filter((one) => one.to > one.from)) {
    const last = span.to >= to ? width : Math.max(column(span.from) + 1, column(span.to));
    cells.fill(strokes[span.kind], column(span.from), last);
  }
  for (const { kind, at } of marks) cells[column(at)] = strokes[kind];
  return cells;
}

/** Leaves out the middle of a text that is too long: both ends tell pods apart. */
function shortened(text: string, length: number): string {
  if (text.length <= length) return text;
  const tail = Math.ceil((length - 1) / 2);
  return `${text.slice(0, length - 1 - tail)}…${text.slice(-tail)}`;
}
