import type { Labels } from "../base/labels.ts";
import { timestamp } from "../base/time.ts";
import type { NamedVersion } from "../group/fleet.ts";
import { written } from "../group/tag-words.ts";
import { bookmarkKeys } from "../group/upgrade-tags.ts";
import type { Before, Bookmark } from "./bookmark.ts";
import { optionWords } from "./options.ts";
import type { UpgradeOptions } from "./request.ts";

/** Writes a bookmark as tags, in the characters that Auto Scaling allows. */
export function bookmarkTags(bookmark: Bookmark): Labels {
  const { to, ending, before, options } = bookmark;
  return {
    ...stateTags(bookmark),
    ...progressTags(bookmark),
    [bookmarkKeys.to]: written({
      template: to.template,
      version: to.version,
      ending: named(ending),
    }),
    ...beforeTags(before),
    ...optionTags(options),
  };
}

const optionTags = (options: UpgradeOptions): Labels => {
  const words = Map.groupBy(Object.entries(optionWords(options)), ([name]) => places.get(name));
  const tagged = (place: Place | undefined) =>
    written({ as: "usual", ...Object.fromEntries(words.get(place) ?? []) });
  return {
    [bookmarkKeys.options]: tagged(undefined),
    [bookmarkKeys.limits]: tagged("limits"),
    [bookmarkKeys.rules]: tagged("rules"),
  };
};

type Place = "limits" | "rules";

// All others are in the tag of the options.
const places: ReadonlyMap<string, Place> = new Map([
  ["drain-timeout", "limits"],
  ["after-drain", "limits"],
  ["look-every", "limits"],
  ["time-limit", "limits"],
  ["max-unready", "limits"],
  ["max-pending", "limits"],
  ["max-age", "limits"],
  ["window", "rules"],
  ["check", "rules"],
]);

/** Writes how the group was before. */
export const beforeTags = ({
  template: { template, version },
  sizes: { min, max, desired },
  pending,
}: Before): Labels => ({
  [bookmarkKeys.before]: written({ template, version: named(version), min, max, desired, pending }),
});

/** Writes whether an upgrade goes on, and who carries it. */
export const stateTags = (bookmark: Bookmark): Labels => {
  const { id, state, carrier, overtaken, begun, told, issue } = bookmark;
  const over = overtaken.length === 0 ? {} : { over: overtaken.join("+") };
  return {
    [bookmarkKeys.state]: written({
      ...{ id, state, carrier, begun: timestamp(begun), told: timestamp(told) },
      ...over,
    }),
    ...(issue === "" ? {} : { [bookmarkKeys.issue]: issue }),
  };
};

/** Writes how far an upgrade has come. */
export const progressTags = (bookmark: Bookmark): Labels => ({
  [bookmarkKeys.progress]: written({
    ...{ phase: bookmark.phase, size: bookmark.size, entered: timestamp(bookmark.entered) },
    ...{ since: timestamp(bookmark.since), seen: timestamp(bookmark.seen) },
    roomy: timestamp(bookmark.roomy),
  }),
});

/** Auto Scaling allows no `$` in a tag. */
const named = (version: NamedVersion): string => String(version).replace("$", "");
