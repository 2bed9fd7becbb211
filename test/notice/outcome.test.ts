import { expect, it } from "vitest";
import {
  type CommonOutcome,
  ignored,
  ignoredWhys,
  isOfOthers,
  noteLines,
  ofOutcomes,
} from "../../lambda/notice/outcome.ts";

it("a notice is about others where it names no instance of the managed groups", () => {
  const others = ignoredWhys.filter((why) => isOfOthers({ kind: "ignored", why, reason: "" }));
  expect(others).toEqual(["not managed", "no group", "unrelated"]);
  expect(isOfOthers({ kind: "tested" })).toBe(false);
  expect(isOfOthers({ kind: "drained" })).toBe(false);
});

it("a notice is ignored for the reason of which no program knows more, unless one is said", () => {
  const reason = "no node has it";
  expect(ignored(reason)).toEqual({
    kind: "done",
    outcome: { kind: "ignored", why: "other", reason },
  });
  expect(ignored(reason, "dry run")).toMatchObject({ outcome: { why: "dry run" } });
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

it("outcomes of some kinds are found among those of all", () => {
  const outcomes = ["drained", "tested", "released-elsewhere", "joined"].map((kind) => ({ kind }));
  const isCommon = ofOutcomes<CommonOutcome>()("tested", "released-elsewhere");
  expect(outcomes.filter(isCommon)).toEqual([{ kind: "tested" }, { kind: "released-elsewhere" }]);
});
