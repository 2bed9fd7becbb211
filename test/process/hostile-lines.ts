import { expect } from "vitest";
import { tryReadEntry } from "../../journal/entry-schema.ts";
import { timestamp } from "../../lambda/base/time.ts";
import { longestLine } from "../../lambda/process/bounded-line.ts";
import { jsonJournal } from "../../lambda/process/json-journal.ts";
import { sampleEntries } from "../journal/sample-entries.ts";
import { sampleOutcomes } from "../journal/sample-outcomes.ts";
import { noon } from "../support/builders.ts";
import { type Path, placesIn, replaced } from "../support/changed-json.ts";

const subject = { messageId: "m", instance: "i-0", group: "workers", token: "t" };

/** An entry of every kind, and one for every outcome. */
export const entries: readonly (readonly [string, object])[] = [
  ...Object.values(sampleEntries).map((entry) => [entry.kind, { ...entry, ...subject }] as const),
  ...Object.values(sampleOutcomes).map((outcome) => {
    const { kind } = outcome;
    return [kind, { kind: "notice-done", notice: "terminating i-1", outcome, ...subject }] as const;
  }),
];

/** The line that the log gets. */
export function lineOf(entry: object): string {
  const lines: string[] = [];
  const journal = jsonJournal({ now: () => noon }, (line) => lines.push(line));
  journal.record(Object(entry));
  return lines.join("");
}

// Each takes more bytes in a line than in memory, but for the first.
const signs = ["x", "\u0000", "\u202e", '"', "😀", "\ud800"];
const isRead = (line: string): boolean => tryReadEntry(line) !== undefined;

/** Sends texts and lists of this size through every field of an entry, one after the other. */
export function expectBounded(entry: object, size: number): void {
  for (const [index, path] of placesIn(entry).entries()) {
    if (path.length === 0) continue;
    const sign = signs[index % signs.length] ?? "x";
    const long = sign.repeat(size / sign.length);
    for (const hostile of [long, manyOf(entry, path, size)]) {
      const changed = Object(replaced(entry, path, hostile));
      const line = lineOf(changed);
      expect(Buffer.byteLength(line)).toBeLessThanOrEqual(longestLine);
      const whole = JSON.stringify({ at: timestamp(noon), ...changed });
      expect([path, isRead(line)]).toEqual([path, isRead(whole)]);
    }
  }
}

/** A list of what is at a place, or of the first item of the list there. */
function manyOf(entry: object, path: Path, size: number): readonly unknown[] {
  const there = path.reduce<unknown>((value, step) => Object(value)[step], entry);
  const [item = "x"] = Array.isArray(there) ? there : [there];
  return Array.from({ length: size / 100 }, () => item);
}
