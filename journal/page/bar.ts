import { between, type Instant, never, timestamp } from "../../lambda/base/time.ts";
import { clock, type TimelineMark, type TimelineRow, type TimelineSpan } from "../timeline.ts";
import { html, type Markup } from "./html.ts";

/** The time from the left end of a bar to its right end. */
export interface Axis {
  readonly from: Instant;
  readonly to: Instant;
  /** `never` if there is none. */
  readonly deadline: Instant;
}

/** A bar with its spans, its marks and the deadline. The reasons are shown on hover and focus. */
export const barOf = (row: TimelineRow, axis: Axis): Markup =>
  html`<svg class="bar" role="img" tabindex="0" aria-label="${reasonsOf(row, axis)}">
${drawn(row, axis)}</svg>`;

/** The same bar for the heading of a drain, which has the words beside it. */
export const quietBar = (row: Pick<TimelineRow, "marks" | "spans">, axis: Axis): Markup =>
  html`<svg class="bar" aria-hidden="true">${drawn(row, axis)}</svg>`;

const drawn = (
  { spans, marks }: Pick<TimelineRow, "marks" | "spans">,
  axis: Axis,
): readonly Markup[] => [
  ...spans.filter(({ from, to }) => to > from).map((span) => spanOf(span, axis)),
  ...deadlineOf(axis),
  ...marks.map((mark) => markOf(mark, axis)),
];

const spanOf = (span: TimelineSpan, axis: Axis): Markup => {
  const from = percent(span.from, axis);
  const width = Math.max(0.3, percent(span.to, axis) - from).toFixed(2);
  return html`<rect class="span ${classOf(span.kind)}" x="${from.toFixed(2)}%" width="${width}%" data-reason="${spanWords(span, axis)}"/>`;
};

const markOf = (mark: TimelineMark, axis: Axis): Markup =>
  html`<svg x="${percent(mark.at, axis).toFixed(2)}%" y="50%" overflow="visible" width="1" height="1"><path class="mark ${mark.kind}" d="${shapes[mark.kind]}" data-reason="${markWords(mark, axis)}"/></svg>`;

/** Marks differ in shape, and not in colour alone. */
export const shapes: Readonly<Record<TimelineMark["kind"], string>> = {
  done: "M-5 0L0-5L5 0L0 5Z",
  elsewhere: "M-5 4L0-5L5 4Z",
  heartbeat: "M-1-4H1V4H-1Z",
  fault: "M-5-3L-3-5L0-2L3-5L5-3L2 0L5 3L3 5L0 2L-3 5L-5 3L-2 0Z",
};

function deadlineOf(axis: Axis): readonly Markup[] {
  if (axis.deadline > axis.to) return [];
  const x = `${percent(axis.deadline, axis).toFixed(2)}%`;
  return [html`<line class="deadline" x1="${x}" x2="${x}" y1="0" y2="100%"/>`];
}

const percent = (at: Instant, { from, to }: Axis): number =>
  Math.min(100, Math.max(0, (100 * between(from, at)) / Math.max(1, between(from, to))));

export const classOf = (kind: string): string => kind.replaceAll(" ", "-");

const since = (at: Instant, { from }: Axis): string => clock(between(from, at));

const spanWords = (span: TimelineSpan, axis: Axis): string =>
  `${since(span.from, axis)} to ${since(span.to, axis)} (${timeOf(span.from)}): ${span.reason === "" ? span.kind : span.reason}`;

const markWords = (mark: TimelineMark, axis: Axis): string =>
  `${since(mark.at, axis)} (${timeOf(mark.at)}): ${mark.reason}`;

const timeOf = (at: Instant): string => `${timestamp(at).slice(11, 19)} UTC`;

const mostReasons = 12;

/** Everything that a bar shows, in words for screen readers. */
function reasonsOf({ label, spans, marks }: TimelineRow, axis: Axis): string {
  const parts = [
    ...spans
      .filter(({ from, to }) => to > from)
      .map((span) => ({ at: span.from, words: spanWords(span, axis) })),
    ...marks.map((mark) => ({ at: mark.at, words: markWords(mark, axis) })),
  ].toSorted((a, b) => a.at - b.at);
  const more = parts.length - mostReasons;
  const first = parts.slice(0, mostReasons).map(({ words }) => words);
  return [label, ...first, ...(more > 0 ? [`and ${more} more`] : [])].join("; ");
}

/** The axis of a drain: until its end, or until its deadline if that is soon after. */
export function axisOf({ from, to, deadline }: Axis): Axis {
  const isNear = deadline !== never && between(from, deadline) < 1.25 * between(from, to);
  return { from, deadline, to: isNear && deadline > to ? deadline : to };
}
