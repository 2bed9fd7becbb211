import type { Labels } from "../../labels.ts";
import { timestamp } from "../../time.ts";
import type { NamedVersion } from "../fleet.ts";
import { optionWords } from "../options/options.ts";
import type { Before, Bookmark } from "./bookmark.ts";
import { tagPrefix, type Words, written } from "./tag-words.ts";

/** The tags of a group by which its upgrade survives its passes. All of them are gone at its end. */
export const bookmarkKeys = {
  state: tagPrefix,
  /** Written apart from the state, so that a pass never overwrites what somebody has just said. */
  progress: `${tagPrefix}-progress`,
  to: `${tagPrefix}-to`,
  before: `${tagPrefix}-before`,
  options: `${tagPrefix}-options`,
  /** The two options that need the most room. */
  rules: `${tagPrefix}-rules`,
  issue: `${tagPrefix}-issue`,
} as const;

/** Writes a bookmark as tags, in the characters that Auto Scaling allows. */
export function bookmarkTags(bookmark: Bookmark): Labels {
  const { to, ending, before, options } = bookmark;
  const { window, check, ...others } = optionWords(options);
  return {
    ...stateTags(bookmark),
    ...progressTags(bookmark),
    [bookmarkKeys.to]: written({
      template: to.template,
      version: to.version,
      ending: named(ending),
    }),
    ...beforeTags(before),
    [bookmarkKeys.options]: written({ as: "usual", ...others }),
    [bookmarkKeys.rules]: written({ as: "usual", ...present({ window, check }) }),
  };
}

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
export const progressTags = ({ phase, size, entered, since, seen }: Bookmark): Labels => ({
  [bookmarkKeys.progress]: written({
    ...{ phase, size, entered: timestamp(entered) },
    ...{ since: timestamp(since), seen: timestamp(seen) },
  }),
});

const present = (words: Words): Words =>
  Object.fromEntries(Object.entries(words).filter(([, word]) => word !== undefined));

/** Auto Scaling allows no `$` in a tag. */
const named = (version: NamedVersion): string => String(version).replace("$", "");
