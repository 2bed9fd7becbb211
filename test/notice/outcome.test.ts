import { expect, it } from "vitest";
import { ignoredWhys, isOfOthers, noteLines } from "../../lambda/notice/outcome.ts";

it("a notice is about others where it names no instance of the managed groups", () => {
  const others = ignoredWhys.filter((why) => isOfOthers({ kind: "ignored", why, reason: "" }));
  expect(others).toEqual(["not managed", "no group", "unrelated"]);
  expect(isOfOthers({ kind: "tested" })).toBe(false);
  expect(isOfOthers({ kind: "drained" })).toBe(false);
});

it("a note about no single thing is a line without a name", () => {
  const why = "node n-1 is not-ready";
  expect(
    noteLines([
      { about: "pod a/b", why: "blocked" },
      { about: "", why },
    ]),
  ).toEqual(["pod a/b: blocked", why]);
});
