import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Labels } from "../../lambda/base/labels.ts";
import { tagOfText, textOfTag } from "../../lambda/group/tags.ts";
import { bookmarkKeys } from "../../lambda/group-work/upgrade-tags.ts";
import type { Bookmark } from "../../lambda/upgrade/bookmark.ts";
import {
  bookmarkTags,
  endedTags,
  progressTags,
  readBookmark,
  stateTags,
  tryEnded,
} from "../../lambda/upgrade/bookmark-tags.ts";
import { anyCharacter } from "../base/any-character.ts";
import { propertyRuns } from "../support/property-runs.ts";
import { aBookmark, bookmarks, longestOptions } from "./upgrade-builders.ts";

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
      { numRuns: propertyRuns(300), examples: [[aBookmark({ options: longestOptions })]] },
    );
  });

  it("is none where no tag says so", () => {
    expect(readBookmark({ other: "tag" })).toEqual({ kind: "none" });
    // A pass that ends late may still say what has held it.
    expect(readBookmark({ [bookmarkKeys.issue]: "no room" })).toEqual({ kind: "none" });
    expect(readBookmark({ [bookmarkKeys.fault]: "a fault" })).toEqual({ kind: "none" });
  });

  it("is none where a pass has written how far it was once the upgrade had ended", () => {
    const late = { ...stateTags(aBookmark()), ...progressTags(aBookmark({ drains: 3 })) };
    const ended = { id: "0badcafe", outcome: "aborted", at: aBookmark().begun, issue: "" } as const;

    expect(readBookmark({ ...late, ...endedTags(ended, {}) })).toEqual({ kind: "none" });
    expect(readBookmark(late)).toMatchObject({ kind: "unreadable" });
  });

  it.each(Object.keys(bookmarkTags(aBookmark())))(
    "is unreadable, and not none, when somebody has removed the tag %s",
    (key) => {
      const { [key]: _, ...tags } = bookmarkTags(aBookmark());
      const earlier = {
        id: "bbbbbbbb",
        outcome: "done",
        at: aBookmark().begun,
        issue: "",
      } as const;

      expect(readBookmark({ ...tags, ...endedTags(earlier, {}) })).toMatchObject({
        kind: "unreadable",
      });
      expect(readBookmark(tags)).toMatchObject({ kind: "unreadable" });
    },
  );
});

describe("how an upgrade has ended", () => {
  it("is read as it was written", () => {
    const ended = { id: "0badcafe", outcome: "failed", at: aBookmark().begun } as const;
    const issue = "NodeCreationFailure: no node of i-1 has registered";

    for (const said of [
      { ...ended, issue },
      { ...ended, issue: "" },
    ])
      expect(tryEnded(endedTags(said, {}))).toEqual({ ...said, earlier: [] });
    expect(tryEnded({})).toBeUndefined();
  });

  it("is told beside the last twelve that ended before, and fits into a tag", () => {
    const ids = Array.from({ length: 20 }, (_, at) => String(at).padStart(8, "a"));
    const { begun: at } = aBookmark();
    const outcome = "scaled-elsewhere";
    let tags: Labels = {};
    for (const id of ids) tags = endedTags({ id, outcome, at, issue: "" }, tags);

    expect(tryEnded(tags)).toMatchObject({ id: ids[19], earlier: ids.slice(7, 19) });
    const again = endedTags({ id: ids[19] ?? "", outcome, at, issue: "" }, tags);
    expect(tryEnded(again)).toEqual(tryEnded(tags));
    for (const value of Object.values(tags)) expect(value?.length).toBeLessThanOrEqual(256);
  });

  it("is told in the characters that a tag may have, and read as it was", () => {
    const text = 'budget "demo/web" (0 allowed); 100% = all…';
    expect(tagOfText(text, "upgrade-held")).toBe(
      "budget =22demo/web=22 =280 allowed=29=3B 100=25 =3D all=E2=80=A6",
    );
    expect(textOfTag(tagOfText(text, "upgrade-held"))).toBe(text);
    expect(textOfTag("label ready-for=work of an earlier version")).toBe(
      "label ready-for=work of an earlier version",
    );
  });

  it("is cut at a word where it is too long, and names the line of the log that has all of it", () => {
    const words = Array.from({ length: 60 }, (_, at) => `pod-${at};`).join(" ");
    const read = textOfTag(tagOfText(words, "upgrade-failing"));
    expect(read).toMatch(
      /^pod-0; (?:pod-\d+; )*pod-\d+; … \(all of it: upgrade-failing in the log\)$/,
    );
    expect(textOfTag(tagOfText("(".repeat(300), "upgrade-held"))).toMatch(/^\(+ … \(all of it/);
  });

  it("always fits a tag, is read as it was if it is short, and is written the same again", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 400 }), (said) => {
        const tag = tagOfText(said, "upgrade-held");
        expect(tag).toMatch(allowed);
        expect(tag.length).toBeLessThanOrEqual(256);
        const read = textOfTag(tag);
        expect(tagOfText(read, "upgrade-held")).toBe(tag);
        if (!read.includes("all of it")) expect(read).toBe(said.replace(/\s+/g, " ").trim());
      }),
    );
  });
});
