import { describe, expect, it } from "vitest";
import { groupName } from "../../lambda/base/ids.ts";
import type { Labels } from "../../lambda/base/labels.ts";
import { bookmarkKeys } from "../../lambda/group-work/upgrade-tags.ts";
import type { Bookmark } from "../../lambda/upgrade/bookmark.ts";
import {
  bookmarkTags,
  progressTags,
  readBookmark,
  stateTags,
  waitingTags,
} from "../../lambda/upgrade/bookmark-tags.ts";
import { usualOptions } from "../../lambda/upgrade/options.ts";
import { type TakeUp, takeUp } from "../../lambda/upgrade/take-up.ts";
import type { UpgradeCommand } from "../../lambda/upgrade/upgrade-message.ts";
import { noon } from "../support/builders.ts";
import { aBookmark } from "./upgrade-builders.ts";

const group = groupName("workers");
const start = (id = "0badcafe"): UpgradeCommand => ({
  kind: "start",
  id,
  group,
  to: { kind: "as-it-is" },
  options: usualOptions,
});
const said = (kind: "abort" | "pause" | "resume", id: string): UpgradeCommand => ({
  kind,
  id,
  group,
  of: "0badcafe",
});

const tagsOf = ({ bookmark, progress }: Extract<TakeUp, { readonly kind: "write" }>): Labels => ({
  ...stateTags(bookmark),
  ...(progress === "restarts" ? progressTags(bookmark) : {}),
});

/** The tags after these messages have come one after the other, and what became of the last one. */
function tagsAfter(begun: Bookmark, ...commands: readonly UpgradeCommand[]) {
  let tags = bookmarkTags(begun);
  let end = "";
  for (const command of commands) {
    const taken = takeUp(command, readBookmark(tags), undefined);
    if (taken.kind === "write") tags = { ...tags, ...tagsOf(taken) };
    end = taken.kind === "end" ? taken.end.kind : taken.kind;
  }
  return { tags, end };
}

const state = (tags: Labels) =>
  /state=(\S+) carrier=(\S+)/.exec(tags[bookmarkKeys.state] ?? "")?.slice(1);

describe("a message about an upgrade", () => {
  it("has nothing to pause or to resume before the maintenance window of its upgrade opens", () => {
    const reading = readBookmark(waitingTags({ id: "0badcafe", until: noon }));
    const about = (command: UpgradeCommand) => takeUp(command, reading, undefined).kind;

    expect(about(start())).toBe("begin");
    expect(about(said("abort", "a"))).toBe("call-off");
    expect([about(said("pause", "a")), about(said("resume", "b"))]).toEqual(["end", "end"]);
  });

  it("pauses once, however often it is received", () => {
    const again = tagsAfter(
      aBookmark(),
      said("pause", "a"),
      said("resume", "b"),
      said("pause", "a"),
    );

    expect(again.end).toBe("taken-over");
    expect(state(again.tags)).toEqual(["running", "b"]);
    expect(tagsAfter(aBookmark(), said("pause", "a"), said("pause", "a")).end).toBe("carry-on");
    const turns = [
      said("pause", "a"),
      said("resume", "b"),
      said("pause", "c"),
      said("resume", "d"),
    ];
    expect(tagsAfter(aBookmark(), ...turns, said("pause", "a")).end).toBe("taken-over");
  });

  it("pauses again, so that a later message ends what an earlier one has left under way", () => {
    const later = tagsAfter(aBookmark(), said("pause", "a"), said("pause", "b"));
    expect(state(later.tags)).toEqual(["paused", "b"]);
    const earlier = tagsAfter(
      aBookmark(),
      said("pause", "a"),
      said("pause", "b"),
      said("pause", "a"),
    );
    expect(earlier.end).toBe("taken-over");
  });

  it("pauses no upgrade that puts everything back", () => {
    for (const state of ["aborting", "failing"] as const)
      expect(tagsAfter(aBookmark({ state }), said("pause", "a")).end).toBe("refused");
  });

  it("of two that put back, only the later one goes on", () => {
    const aborting = tagsAfter(aBookmark(), said("abort", "a"), said("resume", "b"));

    expect(state(aborting.tags)).toEqual(["aborting", "b"]);
    expect(
      tagsAfter(aBookmark(), said("abort", "a"), said("resume", "b"), said("abort", "a")).end,
    ).toBe("taken-over");
  });

  it("leaves the progress to the pass that makes it, and looks at everything anew after a pause", () => {
    const written = (kind: "abort" | "pause" | "resume", bookmark: Bookmark) => {
      const taken = takeUp(said(kind, "a"), { kind: "bookmark", bookmark }, undefined);
      return taken.kind === "write" ? taken.progress : "";
    };

    for (const kind of ["abort", "pause", "resume"] as const)
      expect(written(kind, aBookmark())).toBe("as it is");
    expect(written("resume", aBookmark({ state: "paused" }))).toBe("restarts");
    const resumed = tagsAfter(aBookmark({ state: "paused" }), said("resume", "a")).tags;
    expect(resumed[bookmarkKeys.progress]).toContain("phase=set-up");
  });
});
