import { expect, it } from "vitest";
import { ofKinds } from "../../lambda/notice/entry.ts";
import type { PassEntry } from "../../lambda/notice/pass-entry.ts";

it("entries of some kinds are found among those of all", () => {
  const kinds = ["pass-started", "warning", "pass-ended", "fault"];
  const entries = kinds.map((kind) => ({ kind }));
  expect(entries.filter(ofKinds<PassEntry>()("warning", "fault"))).toEqual([
    { kind: "warning" },
    { kind: "fault" },
  ]);
});
