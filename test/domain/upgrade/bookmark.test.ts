import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Bookmark } from "../../../lambda/domain/upgrade/bookmark/bookmark.ts";
import { phases, states } from "../../../lambda/domain/upgrade/bookmark/bookmark.ts";
import {
  bookmarkKeys,
  bookmarkTags,
  endedTags,
  readBookmark,
  taggable,
  tryEnded,
} from "../../../lambda/domain/upgrade/bookmark/bookmark-tags.ts";
import { propertyRuns } from "../../property-runs.ts";
import { aBookmark, bookmarks } from "./upgrade-builders.ts";

// What Auto Scaling allows in the value of a tag.
const allowed = /^[\p{L}\p{N} _.:/=+@-]{0,256}$/u;

describe("the bookmark of an upgrade", () => {
  it("is read from the tags as it was written", () => {
    fc.assert(
      fc.property(bookmarks, (bookmark: Bookmark) => {
        expect(readBookmark(bookmarkTags(bookmark))).toEqual({ kind: "bookmark", bookmark });
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it("fits into the tags of a group, whatever is chosen", () => {
    fc.assert(
      fc.property(bookmarks, (bookmark: Bookmark) => {
        for (const value of Object.values(bookmarkTags(bookmark))) expect(value).toMatch(allowed);
      }),
      { numRuns: propertyRuns(300) },
    );
  });

  it("is none where no tag says so", () => {
    expect(readBookmark({ other: "tag" })).toEqual({ kind: "none" });
  });

  it.each(Object.values(bookmarkKeys).filter((key) => key !== bookmarkKeys.issue))(
    "is unreadable when somebody has changed the tag %s",
    (key) => {
      const tags = { ...bookmarkTags(aBookmark()), [key]: "something=else" };

      expect(readBookmark(tags)).toMatchObject({ kind: "unreadable" });
    },
  );

  it.each(Object.values(bookmarkKeys).filter((key) => key !== bookmarkKeys.issue))(
    "is unreadable, and not none, when somebody has removed the tag %s",
    (key) => {
      const { [key]: _, ...tags } = bookmarkTags(aBookmark());

      expect(readBookmark(tags)).toMatchObject({ kind: "unreadable" });
    },
  );

  it("knows all phases and states", () => {
    for (const phase of phases)
      for (const state of states)
        expect(readBookmark(bookmarkTags(aBookmark({ phase, state })))).toMatchObject({
          bookmark: { phase, state },
        });
  });
});

describe("how an upgrade has ended", () => {
  it("is read as it was written", () => {
    const ended = { id: "0badcafe", outcome: "failed", at: aBookmark().begun } as const;
    const issue = "NodeCreationFailure: no node of i-1 has registered";

    expect(tryEnded(endedTags({ ...ended, issue }))).toEqual({ ...ended, issue });
    expect(tryEnded(endedTags({ ...ended, issue: "" }))).toEqual({ ...ended, issue: "" });
    expect(tryEnded({})).toBeUndefined();
  });

  it("is told in the characters that a tag may have, as far as they go", () => {
    expect(taggable('budget "demo/web" (0 allowed), 100%')).toBe("budget demo/web 0 allowed 100");
    expect(taggable("x".repeat(300))).toHaveLength(256);
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => allowed.test(taggable(text))));
  });
});
