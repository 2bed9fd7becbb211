import type { Labels } from "../base/labels.ts";
import { type Instant, timestamp, tryInstantOf } from "../base/time.ts";
import type { NamedVersion } from "../group/scaling-group.ts";
import { bookmarkKeys, tagPrefix, wordsIn, written } from "../group/tags.ts";
import type { Before, Bookmark, Ended } from "./bookmark.ts";
import { type OptionTag, optionWords, tagOf, type UpgradeOptions } from "./options.ts";

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
  const words = Map.groupBy(Object.entries(optionWords(options)), ([name]) => tagOf(name));
  const tagged = (tag: OptionTag) =>
    written({ as: "usual", ...Object.fromEntries(words.get(tag) ?? []) });
  const { options: first, limits, rules } = bookmarkKeys;
  return { [first]: tagged("options"), [limits]: tagged("limits"), [rules]: tagged("rules") };
};

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

// How the last upgrade of a group has ended.
const endedKey = `${tagPrefix}-ended`;

/** The tag that says why the last upgrade of a group failed or was refused. */
export const endedIssueKey = `${tagPrefix}-ended-issue`;

const unhappy: readonly Ended["outcome"][] = ["failed", "refused"];
const outcomes: readonly Ended["outcome"][] = ["done", "aborted", "scaled-elsewhere", ...unhappy];

// As many as a tag has room for.
const mostEarlier = 12;

/** Writes how an upgrade has ended into the tags of its group, which tell of earlier ones. */
export function endedTags(
  { id, outcome, at, issue }: Omit<Ended, "earlier">,
  tags: Labels,
): Labels {
  const last = tryEnded(tags);
  const ended = last === undefined ? [] : [...last.earlier, last.id];
  const earlier = ended.filter((one) => one !== id).slice(-mostEarlier);
  const before = earlier.length === 0 ? {} : { earlier: earlier.join("+") };
  return {
    [endedKey]: written({ id, outcome, at: timestamp(at), ...before }),
    ...(issue === "" ? {} : { [endedIssueKey]: issue }),
  };
}

/** Reads how the last upgrade of a group has ended; `undefined` when no tag says so. */
export function tryEnded(tags: Labels): Ended | undefined {
  const words = wordsIn(tags[endedKey] ?? "");
  const outcome = outcomes.find((one) => one === words.get("outcome"));
  const at = tryInstantOf(words.get("at") ?? "");
  const id = words.get("id") ?? "";
  if (outcome === undefined || at === undefined) return undefined;
  const issue = unhappy.includes(outcome) ? (tags[endedIssueKey] ?? "") : "";
  return { id, outcome, at, issue, earlier: words.get("earlier")?.split("+") ?? [] };
}

/** The tag that says that an upgrade waits for its maintenance window, and has changed nothing yet. */
export const waitingKey = `${tagPrefix}-waiting`;

/** An upgrade that waits for its maintenance window. */
export interface Waiting {
  readonly id: string;
  /** When the window opens. */
  readonly until: Instant;
}

/** Writes that an upgrade waits into the tags of its group. */
export const waitingTags = ({ id, until }: Waiting): Labels => ({
  [waitingKey]: written({ id, until: timestamp(until) }),
});

/** Reads which upgrade of a group waits; a pass may have written so after somebody has called that off. */
export function tryWaiting(tags: Labels): Waiting | undefined {
  const words = wordsIn(tags[waitingKey] ?? "");
  const id = words.get("id") ?? "";
  const until = tryInstantOf(words.get("until") ?? "");
  const ended = tryEnded(tags);
  const isOver = ended !== undefined && [ended.id, ...ended.earlier].includes(id);
  return until === undefined || id === "" || isOver ? undefined : { id, until };
}
