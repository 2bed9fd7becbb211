import { describe, expect, it } from "vitest";
import { outcomeWords } from "../../journal/outcome-words.ts";

describe("a drain that is done, in a few words,", () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ["drained", [], []],
    ["drained, with volumes still attached: pv-1, pv-2", ["pv-1", "pv-2"], []],
    ["drained, with pods that do not end: demo/a: stuck", [], ["demo/a: stuck"]],
    [
      "drained, with volumes still attached: pv-1, with pods that do not end: a; b",
      ["pv-1"],
      ["a", "b"],
    ],
  ])("is %s", (words, attached, stuck) => {
    expect(outcomeWords({ kind: "drained", attached, stuck })).toBe(words);
  });
});
