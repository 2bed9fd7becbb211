import type { Tone } from "../../journal/tone.ts";
import type { Row } from "./rows.ts";

/** A line of a page. */
export interface Line {
  readonly tone: Tone;
  readonly indent: number;
  readonly text: string;
}

/** A line of a page. */
export const line = (text: string, indent = 0, tone: Tone = "plain"): Line => ({
  tone,
  indent,
  text,
});

const mostRows = 20;
const mostNames = 5;

/** A part of a page about some workloads; nothing where there are none. */
export function section(title: string, tone: Tone, rows: readonly Row[]): readonly Line[] {
  if (rows.length === 0) return [];
  const more = rows.length - mostRows;
  return [
    line(title, 0, tone),
    ...rows.slice(0, mostRows).flatMap(linesOf),
    ...(more > 0 ? [line(`and ${more} more workloads: --json tells all`, 2, "faint")] : []),
  ];
}

const linesOf = ({ workload, pods, texts }: Row): readonly Line[] => [
  line(workload.startsWith("Pod ") ? workload : `${workload}: ${named(pods)}`, 2),
  ...texts.map((text) => line(text, 4)),
];

function named(pods: readonly string[]): string {
  const more = pods.length - mostNames;
  const names = pods.slice(0, mostNames).join(", ");
  return more > 0 ? `${names} and ${more} more` : names;
}
