import type { Line } from "../terminal/lines.ts";

const duration = /\b\d+ (?:h|min|s)\b/g;

/** A line without the durations in it, which are others at every look. */
const essence = ({ depth, text }: Line): string => `${depth} ${text.replace(duration, "")}`;

/** The lines that were not there at the last look, apart from durations, and those that are no longer there. */
export function statusChanges(before: readonly Line[], now: readonly Line[]): readonly Line[] {
  const [known, present] = [before, now].map((lines) => new Set(lines.map(essence)));
  const fresh = now.filter((line) => known?.has(essence(line)) === false);
  const gone = before.filter((line) => present?.has(essence(line)) === false);
  return [
    ...gone.map((line) => ({ ...line, tone: "faint" as const, text: `no longer: ${line.text}` })),
    ...fresh,
  ];
}
