import { describe, expect, it } from "vitest";
import { tryReadEntry } from "../../journal/entry-schema.ts";
import { timestamp } from "../../lambda/base/time.ts";
import { sampleEntries } from "../journal/sample-entries.ts";
import { noon } from "../support/builders.ts";
import { entries, expectBounded, lineOf } from "./hostile-lines.ts";

describe("a line of the log", () => {
  it.each(entries)(
    "about %s has at most 1,500 bytes whatever is in any of its fields, and is read all the same",
    (_, entry) => expectBounded(entry, 6000),
  );

  it("says how many items of its lists it has no room for, and keeps the first", () => {
    const holding = Array.from({ length: 300 }, (_, index) => `shop/web-${index}`);
    const entry = tryReadEntry(lineOf({ ...sampleEntries["pods-seen"], holding }));
    if (entry?.kind !== "pods-seen") throw new Error("the line is not read");
    expect(entry.holding.length).toBeGreaterThanOrEqual(50);
    expect(entry.holding).toEqual(holding.slice(0, entry.holding.length));
    expect(entry.cut).toBe(300 - entry.holding.length);
  });

  it("is as it is where it fits", () => {
    const entry = sampleEntries["pod-evicted"];
    expect(JSON.parse(lineOf(entry))).toEqual({ at: timestamp(noon), ...entry });
  });
});
