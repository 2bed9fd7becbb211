import { describe, expect, it } from "vitest";
import type { Entry } from "../../journal/entry.ts";
import { tryReadEntry } from "../../journal/entry-schema.ts";
import { instant } from "../../lambda/base/time.ts";
import { jsonJournal } from "../../lambda/process/json-journal.ts";
import { sampleEntries } from "./sample-entries.ts";
import { sampleOutcomes } from "./sample-outcomes.ts";

const at = instant(Date.parse("2026-03-23T09:14:05.218Z"));
const pod = "demo/web";
const node = "ip-192-168-18-230.eu-west-1.compute.internal";
const numbers = { budget: "demo/web", healthy: 3, desired: 3, allowed: 0 };

function written(entry: Entry): string {
  let line = "";
  jsonJournal({ now: () => at }, (text) => {
    line += text;
  }).record(entry);
  return line;
}

describe("a line of the function's journal", () => {
  it.each(Object.values(sampleEntries))("is read as it was meant: $kind", (entry) => {
    expect(tryReadEntry(written(entry))).toEqual({ ...entry, at });
  });

  const late = { ...sampleOutcomes.drained, late: "2026-11-20T10:20:00.000Z" };

  it.each([...Object.values(sampleOutcomes), late])(
    "is read with its outcome: $kind",
    (outcome) => {
      const entry = { kind: "notice-done", notice: "terminating i-1", outcome } as const;

      expect(tryReadEntry(written(entry))).toEqual({ ...entry, at });
    },
  );

  it("of an older version is read, with nothing in the fields that it has not", () => {
    const seen = {
      at: "2026-03-23T09:14:05.218Z",
      kind: "pods-seen",
      node,
      holding: [],
      critical: [],
      skipped: [],
    };
    const held = { at: seen.at, kind: "pods-held", node, pods: [pod], ...numbers };
    expect(tryReadEntry(JSON.stringify(seen))).toMatchObject({ deadline: "" });
    expect(tryReadEntry(JSON.stringify(held))).toMatchObject({ owners: [] });
  });

  it("shows every character that changes what is around it, and is read as it was meant", () => {
    const about = '\u001b[31m \u009b \u202e \u2028 \ufeff \u{e0001} \ud800 \uffff "é 🌊';
    const entry = { kind: "warning", about, warnings: [] } as const;

    expect(written(entry)).toMatch(/^[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]+\n$/u);
    expect(tryReadEntry(written(entry))).toEqual({ ...entry, at });
  });

  it.each([
    "",
    "a warning of some library",
    "42",
    '{"at":"2026-03-23T09:14:05.218Z","kind":"unheard-of"}',
    '{"kind":"pod-gone","pod":"demo/web","node":"n"}',
    '{"at":"yesterday","kind":"pod-gone","pod":"demo/web","node":"n"}',
    '{"at":"2026-03-23T09:14:05.218Z","kind":"pod-gone","pod":"demo/web"}',
  ])("is distinguished from other lines: %s", (line) => {
    expect(tryReadEntry(line)).toBeUndefined();
  });
});
