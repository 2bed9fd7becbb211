import type { Labels } from "../base/labels.ts";
import { type Instant, timestamp, tryInstantOf } from "../base/time.ts";
import type { NamedTemplate, NamedVersion, TemplateVersion } from "../group/scaling-group.ts";
import { wordsIn, written } from "../group/tags.ts";
import { type Before, type Bookmark, type EndedUpgrade, phases, states } from "./bookmark.ts";
import {
  type OptionTag,
  type OptionWords,
  optionWords,
  readOptions,
  tagOf,
  type UpgradeOptions,
} from "./options.ts";
import { bookmarkKeys, isUnderUpgrade, tagPrefix } from "./upgrade-tags.ts";

/** The tags of a bookmark, in the characters that Auto Scaling allows. */
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

/** The tags that say how the group was before. */
export const beforeTags = ({
  template: { template, version },
  sizes: { min, max, desired },
  pending,
}: Before): Labels => ({
  [bookmarkKeys.before]: written({ template, version: named(version), min, max, desired, pending }),
});

/** The tags that say whether an upgrade goes on, and which message carries it. */
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

/** The tags that say how far an upgrade has come. */
export const progressTags = (bookmark: Bookmark): Labels => ({
  [bookmarkKeys.progress]: written({
    ...{ phase: bookmark.phase, size: bookmark.size, entered: timestamp(bookmark.entered) },
    ...{ since: timestamp(bookmark.since), seen: timestamp(bookmark.seen) },
    roomy: timestamp(bookmark.roomy),
  }),
});

/** Auto Scaling allows no `$` in a tag. */
const named = (version: NamedVersion): string => String(version).replace("$", "");

// The tag that says how the last upgrade of a group ended.
const endedKey = `${tagPrefix}-ended`;

/** The tag that says why the last upgrade of a group failed or was refused. */
export const endedIssueKey = `${tagPrefix}-ended-issue`;

const unhappy: readonly EndedUpgrade["outcome"][] = ["failed", "refused"];
const outcomes: readonly EndedUpgrade["outcome"][] = [
  "done",
  "aborted",
  "scaled-elsewhere",
  ...unhappy,
];

// As many as fit into a tag.
const mostEarlier = 12;

/** The tags that say how an upgrade ended, and which ended earlier. */
export function endedTags(
  { id, outcome, at, issue }: Omit<EndedUpgrade, "earlier">,
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

/** Reads how the last upgrade of a group ended; `undefined` if no tag says so. */
export function tryEnded(tags: Labels): EndedUpgrade | undefined {
  const words = wordsIn(tags[endedKey] ?? "");
  const outcome = outcomes.find((one) => one === words.get("outcome"));
  const at = tryInstantOf(words.get("at") ?? "");
  const id = words.get("id") ?? "";
  if (outcome === undefined || at === undefined) return undefined;
  const issue = unhappy.includes(outcome) ? (tags[endedIssueKey] ?? "") : "";
  return { id, outcome, at, issue, earlier: words.get("earlier")?.split("+") ?? [] };
}

/** The tag of an upgrade that waits for its maintenance window, and has changed nothing yet. */
export const waitingKey = `${tagPrefix}-waiting`;

/** An upgrade that waits for its maintenance window. */
export interface Waiting {
  readonly id: string;
  /** When the window opens. */
  readonly until: Instant;
}

/** The tag of an upgrade that waits for its maintenance window. */
export const waitingTags = ({ id, until }: Waiting): Labels => ({
  [waitingKey]: written({ id, until: timestamp(until) }),
});

/**
 * Reads which upgrade of a group waits for its maintenance window. An aborted one does not count, even if a pass has written
 * the tag later.
 */
export function tryWaiting(tags: Labels): Waiting | undefined {
  const words = wordsIn(tags[waitingKey] ?? "");
  const id = words.get("id") ?? "";
  const until = tryInstantOf(words.get("until") ?? "");
  const ended = tryEnded(tags);
  const isOver = ended !== undefined && [ended.id, ...ended.earlier].includes(id);
  return until === undefined || id === "" || isOver ? undefined : { id, until };
}

/** What the tags of a group say about an upgrade. */
export type BookmarkReading =
  | { readonly kind: "none" }
  | ({ readonly kind: "waiting" } & Waiting)
  | { readonly kind: "bookmark"; readonly bookmark: Bookmark }
  /** Some of the tags were changed or removed by somebody. */
  | { readonly kind: "unreadable"; readonly key: string; readonly text: string };

export function readBookmark(tags: Labels): BookmarkReading {
  const text = (key: string) => tags[key] ?? "";
  // An upgrade that has lost some of its tags must not begin again: the sizes of now are those of its surge.
  if (!isUnderUpgrade(tags)) return notBegun(tags);
  const state = tryState(text(bookmarkKeys.state));
  if (state === undefined) return unreadable(bookmarkKeys.state, tags);
  const progress = tryProgress(text(bookmarkKeys.progress));
  if (progress === undefined) return unreadable(bookmarkKeys.progress, tags);
  const wish = tryWish(text);
  if ("key" in wish) return unreadable(wish.key, tags);
  const issue = text(bookmarkKeys.issue);
  return { kind: "bookmark", bookmark: { ...state, ...progress, ...wish, issue } };
}

function notBegun(tags: Labels): BookmarkReading {
  const waiting = tryWaiting(tags);
  return waiting === undefined ? { kind: "none" } : { kind: "waiting", ...waiting };
}

type BookmarkGoal = Pick<Bookmark, "before" | "ending" | "options" | "to">;

/** What the upgrade is to do, and how the group was before; or the key of the tag that cannot be read. */
function tryWish(text: (key: string) => string): BookmarkGoal | { readonly key: string } {
  const to = tryTo(text(bookmarkKeys.to));
  if (to === undefined) return { key: bookmarkKeys.to };
  const before = tryBefore(text(bookmarkKeys.before));
  if (before === undefined) return { key: bookmarkKeys.before };
  const { options: first, limits, rules } = bookmarkKeys;
  const said = [first, limits, rules].map((key) => wordsIn(text(key)));
  const options = tryOptions(Object.fromEntries(said.flatMap((words) => [...words])));
  return options === undefined ? { key: bookmarkKeys.options } : { ...to, before, options };
}

function tryOptions({ as: _, ...words }: OptionWords): UpgradeOptions | undefined {
  const reading = readOptions(words);
  return reading.kind === "read" ? reading.options : undefined;
}

const unreadable = (key: string, tags: Labels): BookmarkReading => ({
  kind: "unreadable",
  key,
  text: tags[key] ?? "",
});

type BookmarkState = Pick<Bookmark, "begun" | "carrier" | "id" | "overtaken" | "state" | "told">;

function tryState(text: string): BookmarkState | undefined {
  const words = wordsIn(text);
  const [id = "", carrier = ""] = [words.get("id"), words.get("carrier")];
  const state = states.find((one) => one === words.get("state"));
  const begun = tryInstantOf(words.get("begun") ?? "");
  if (id === "" || carrier === "" || state === undefined || begun === undefined) return undefined;
  const told = tryInstantOf(words.get("told") ?? "") ?? begun;
  return { id, carrier, state, begun, told, overtaken: words.get("over")?.split("+") ?? [] };
}

type BookmarkProgress = Pick<Bookmark, "entered" | "phase" | "roomy" | "seen" | "since" | "size">;

function tryProgress(text: string): BookmarkProgress | undefined {
  const words = wordsIn(text);
  const phase = phases.find((one) => one === words.get("phase"));
  const size = tryCount(words.get("size"));
  const [since, seen] = ["since", "seen"].map((name) => tryInstantOf(words.get(name) ?? ""));
  if (phase === undefined || size === undefined) return undefined;
  if (since === undefined || seen === undefined) return undefined;
  const entered = tryInstantOf(words.get("entered") ?? "") ?? since;
  // An upgrade that an earlier version of the function has begun lacks this.
  const roomy = tryInstantOf(words.get("roomy") ?? "") ?? entered;
  return { phase, size, entered, since, seen, roomy };
}

function tryNamed(text = ""): NamedVersion | undefined {
  if (text === "Latest" || text === "Default") return `$${text}`;
  return tryCount(text);
}

type To = Pick<Bookmark, "ending" | "to">;

function tryTo(text: string): To | undefined {
  const words = wordsIn(text);
  const to = tryVersion(words.get("template"), words.get("version"));
  const ending = tryNamed(words.get("ending"));
  return to === undefined || ending === undefined ? undefined : { to, ending };
}

function tryVersion(template: string | undefined, version?: string): TemplateVersion | undefined {
  const number = tryCount(version);
  return template === undefined || number === undefined ? undefined : { template, version: number };
}

function tryTemplate(template: string | undefined, version?: string): NamedTemplate | undefined {
  const name = tryNamed(version);
  return template === undefined || name === undefined ? undefined : { template, version: name };
}

function tryBefore(text: string): Before | undefined {
  const words = wordsIn(text);
  const template = tryTemplate(words.get("template"), words.get("version"));
  const [min, max, desired, pending] = ["min", "max", "desired", "pending"].map((name) =>
    tryCount(words.get(name)),
  );
  if (template === undefined || min === undefined || max === undefined) return undefined;
  if (desired === undefined || pending === undefined) return undefined;
  return { template, sizes: { min, max, desired }, pending };
}

const tryCount = (text = ""): number | undefined =>
  /^\d{1,9}$/.test(text) ? Number(text) : undefined;
