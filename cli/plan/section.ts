import type { Tone } from "../../journal/tone.ts";
import { type Line, line } from "../terminal/lines.ts";
import type { Row } from "./rows.ts";

const mostRows = 20;
const mostNames = 5;

/** A part of a page about some workloads; nothing where there are none. */
export function section(title: string, tone: Tone, rows: readonly Row[]): readonly Line[] {
  if (rows.length === 0) return [];
  const more = rows.length - mostRows;
  return [
    line(tone, 0, title),
    ...rows.slice(0, mostRows).flatMap(linesOf),
    ...(more > 0 ? [line("faint", 1, `and ${more} more workloads: --json tells all`)] : []),
  ];
}

const linesOf = ({ workload, pods, texts }: Row): readonly Line[] => [
  line("plain", 1, workload.startsWith("Pod ") ? workload : `${workload}: ${named(pods)}`),
  ...texts.map((text) => line("plain", 2, text)),
];

function named(pods: readonly string[]): string {
  const more = pods.length - mostNames;
  const names = pods.slice(0, mostNames).join(", ");
  return more > 0 ? `${names} and ${more} more` : names;
}
