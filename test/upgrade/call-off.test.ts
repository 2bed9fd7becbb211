import { describe, expect, it } from "vitest";
import { groupName } from "../../lambda/base/ids.ts";
import type { EndedUpgrade } from "../../lambda/upgrade/bookmark.ts";
import { usualOptions } from "../../lambda/upgrade/options.ts";
import { takeUp } from "../../lambda/upgrade/take-up.ts";
import type { UpgradeCommand } from "../../lambda/upgrade/upgrade-message.ts";
import { noon } from "../support/builders.ts";
import { aBookmark } from "./upgrade-builders.ts";

const group = groupName("workers");
const of = "0badcafe";
const abort: UpgradeCommand = { kind: "abort", id: "aaaaaaaa", group, of };
const start: UpgradeCommand = {
  kind: "start",
  id: of,
  group,
  to: { kind: "as-it-is" },
  options: usualOptions,
};
const aborted: EndedUpgrade = { id: of, outcome: "aborted", at: noon, issue: "", earlier: [] };
const none = { kind: "none" } as const;
const underWay = { kind: "bookmark", bookmark: aBookmark({ id: of }) } as const;

describe("an abort of an upgrade", () => {
  it("calls off the start that it names where none is under way", () => {
    expect(takeUp(abort, none, undefined)).toEqual({ kind: "call-off", id: of });
    expect(takeUp(abort, none, { ...aborted, id: "12345678" })).toMatchObject({ kind: "call-off" });
    expect(takeUp(start, none, aborted)).toMatchObject({ end: { outcome: "aborted" } });
  });

  it("or its start that comes once more after a later upgrade has ended changes nothing", () => {
    const later: EndedUpgrade = { ...aborted, id: "12345678", outcome: "done", earlier: [of] };

    for (const command of [abort, start])
      expect(takeUp(command, none, later)).toMatchObject({ end: { kind: "refused" } });
  });

  it("leaves the outcome of an upgrade that has ended", () => {
    const done = { ...aborted, outcome: "done" } as const;
    expect(takeUp(abort, none, done)).toMatchObject({ kind: "end", end: { outcome: "done" } });
  });

  it("wins over a start that writes its bookmark in the same moment", () => {
    const aborting = { kind: "write", bookmark: { carrier: of, state: "aborting" } };
    expect(takeUp(start, underWay, aborted)).toMatchObject(aborting);
    const bookmark = aBookmark({ id: of, state: "aborting" });
    const written = { kind: "bookmark", bookmark } as const;
    expect(takeUp(start, written, aborted)).toMatchObject({ kind: "carry-on" });
  });

  it.each(["abort", "pause", "resume"] as const)(
    "of another upgrade changes nothing: %s",
    (kind) => {
      const command = { ...abort, kind, of: "12345678" };
      expect(takeUp(command, underWay, undefined)).toMatchObject({ end: { kind: "refused" } });
    },
  );
});
