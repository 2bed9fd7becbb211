import type { Labels } from "../base/labels.ts";
import { read, type Schema } from "../base/read.ts";
import {
  anyText,
  field,
  made,
  oneOf,
  optional,
  orDefault,
  orElse,
  record,
  text,
} from "../base/schema.ts";
import { type Instant, timestamp, tryInstantOf } from "../base/time.ts";
import type { NamedVersion } from "../group/scaling-group.ts";
import { type TagWords, tagOfText, textOfTag, wordsIn, written } from "../group/tags.ts";
import { bookmarkKeys, endedKey, isUnderUpgrade, tagPrefix } from "../group-work/upgrade-tags.ts";
import {
  type Before,
  type Bookmark,
  type EndedUpgrade,
  phases,
  type Soak,
  states,
  upgradeOutcomes,
} from "./bookmark.ts";
import {
  type OptionTag,
  type OptionWords,
  optionWords,
  readOptions,
  tagOf,
  type UpgradeOptions,
} from "./options.ts";
import type { UpgradeEntry } from "./upgrade-entry.ts";

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

/** The tags of the group's template version and sizes from before the upgrade. */
export const beforeTags = ({
  template: { template, version },
  sizes: { min, max, desired },
  pending,
}: Before): Labels => ({
  [bookmarkKeys.before]: written({ template, version: named(version), min, max, desired, pending }),
});

/** The tags of an upgrade's state, of the message that carries it, and of its issue. */
export const stateTags = (bookmark: Bookmark): Labels => {
  const { id, state, carrier, overtaken, begun, told, issue } = bookmark;
  return {
    [bookmarkKeys.state]: written({
      id,
      state,
      carrier,
      begun: timestamp(begun),
      told: timestamp(told),
      ...joined("over", overtaken),
    }),
    ...(issue === "" ? {} : issueTags(issue, "upgrade-failing")),
  };
};

/** The tag that says why an upgrade fails or is held. A longer text is cut, and refers to an entry of the journal. */
export const issueTags = (
  issue: string,
  entry: Extract<UpgradeEntry["kind"], "upgrade-failing" | "upgrade-held">,
): Labels => ({ [bookmarkKeys.issue]: tagOfText(issue, entry) });

/** A series of failed passes of an upgrade. */
export interface Failing {
  readonly since: Instant;
  /** The message of the last failure, shortened to fit a tag. */
  readonly fault: string;
}

/** The tag that says which failure holds an upgrade. */
export const failingTags = ({ since, fault }: Failing): Labels => ({
  [bookmarkKeys.fault]: tagOfText(`${timestamp(since)} ${fault}`, "fault"),
});

/** Reads which failure holds an upgrade; `undefined` if the last pass has met none. */
export function tryFailing(tags: Labels): Failing | undefined {
  const [, time = "", fault = ""] =
    /^(\S+) (.*)$/s.exec(textOfTag(tags[bookmarkKeys.fault] ?? "")) ?? [];
  const since = tryInstantOf(time);
  return since && { since, fault };
}

/** The tags that say how far an upgrade has come. */
export const progressTags = (bookmark: Bookmark): Labels => ({
  [bookmarkKeys.progress]: written({
    phase: bookmark.phase,
    size: bookmark.size,
    entered: timestamp(bookmark.entered),
    since: timestamp(bookmark.since),
    seen: timestamp(bookmark.seen),
    roomy: timestamp(bookmark.roomFound),
    ...joined("unawaited", bookmark.unawaited),
  }),
  ...moreTags(bookmark),
});

/** The tag of what only some options ask for, and of what there is only after a while. It is written in one request with the progress. */
function moreTags({ soak, watched, aside, drains, unhealthy }: Bookmark): Labels {
  const words: TagWords = {
    ...(soak === "none" ? {} : { soak: soak === "owed" ? soak : timestamp(soak) }),
    ...(watched === "none" ? {} : { watched: timestamp(watched) }),
    ...(aside === 0 ? {} : { aside }),
    ...(drains === 0 ? {} : { drains }),
    ...joined(
      "unhealthy",
      [...unhealthy].map(([id, waits]) => `${id}.${waits}`),
    ),
  };
  return Object.keys(words).length === 0 ? {} : { [bookmarkKeys.more]: written(words) };
}

/** A list as a word of a tag; an empty one has none. */
const joined = (name: string, list: readonly string[]): TagWords =>
  list.length === 0 ? {} : { [name]: list.join("+") };

/** Auto Scaling allows no `$` in a tag. */
const named = (version: NamedVersion): string => String(version).replace("$", "");

/** Makes a reader of a tag, which returns `undefined` if a word does not fit. */
function wordsOf<T>(schema: Schema<T>): (text: string | undefined) => T | undefined {
  const lenient = orElse<T | undefined>(schema, undefined);
  return (text = "") => read(lenient, Object.fromEntries(wordsIn(text)), "");
}

const someText = text("a text", /./);
const count = made(text("a number", /^\d{1,9}$/), Number);
const time = field("a time", (value) =>
  typeof value === "string" ? tryInstantOf(value) : undefined,
);
const ids = made(optional(someText), (joined): readonly string[] => joined?.split("+") ?? []);
const version: Schema<NamedVersion> = (value, path) =>
  value === "Latest" || value === "Default" ? `$${value}` : count(value, path);

// An upgrade that an earlier version of the function has begun lacks some of these.
const timeIfSaid = orElse<Instant | undefined>(time, undefined);

const stateWords = wordsOf(
  made(
    record({
      id: someText,
      carrier: someText,
      state: oneOf(...states),
      begun: time,
      told: timeIfSaid,
      over: ids,
    }),
    ({ told, over: overtaken, ...its }) => ({ ...its, told: told ?? its.begun, overtaken }),
  ),
);

const progressWords = wordsOf(
  made(
    record({
      phase: oneOf(...phases),
      size: count,
      since: time,
      seen: time,
      entered: timeIfSaid,
      roomy: timeIfSaid,
      unawaited: ids,
    }),
    ({ entered, roomy, ...its }) => {
      const since = entered ?? its.since;
      return { ...its, entered: since, roomFound: roomy ?? since };
    },
  ),
);

const soak = field("a time or owed", (value): Soak | undefined =>
  value === "owed" ? value : typeof value === "string" ? tryInstantOf(value) : undefined,
);

/** Each id with its number; what has none counts as none. */
const waitsIn = (words: readonly string[]): ReadonlyMap<string, number> =>
  new Map(
    words.flatMap((word) => {
      const [, id = "", waits] = /^([\da-f]{8})\.(\d{1,4})$/.exec(word) ?? [];
      return waits === undefined ? [] : [[id, Number(waits)] as const];
    }),
  );

const moreWords = wordsOf(
  record({
    soak: orDefault<Soak>(soak, "none"),
    watched: orDefault<Bookmark["watched"]>(time, "none"),
    aside: orDefault(count, 0),
    drains: orDefault(count, 0),
    unhealthy: made(ids, waitsIn),
  }),
);

const toWords = wordsOf(
  made(record({ template: anyText("a template"), version: count, ending: version }), (its) => {
    const { ending, ...to } = its;
    return { to, ending };
  }),
);

const beforeWords = wordsOf(
  made(
    record({
      template: anyText("a template"),
      version,
      min: count,
      max: count,
      desired: count,
      pending: count,
    }),
    ({ pending, template, version, ...sizes }): Before => ({
      template: { template, version },
      sizes,
      pending,
    }),
  ),
);

/** The tag that says why the last upgrade of a group failed or was refused, or what it has set aside. */
export const endedIssueKey = `${tagPrefix}-ended-issue`;

const unhappy: readonly EndedUpgrade["outcome"][] = ["failed", "refused", "set-aside"];
const outcomes: readonly EndedUpgrade["outcome"][] = [...upgradeOutcomes, "refused"];

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
  return {
    [endedKey]: written({ id, outcome, at: timestamp(at), ...joined("earlier", earlier) }),
    ...(issue === "" ? {} : { [endedIssueKey]: tagOfText(issue, entryOf(outcome)) }),
  };
}

const entries: Readonly<Partial<Record<EndedUpgrade["outcome"], UpgradeEntry["kind"]>>> = {
  refused: "upgrade-answered",
  "set-aside": "upgrade-nodes",
};

const entryOf = (outcome: EndedUpgrade["outcome"]): UpgradeEntry["kind"] =>
  entries[outcome] ?? "upgrade-failing";

const endedWords = wordsOf(
  record({ id: orElse(anyText("an id"), ""), outcome: oneOf(...outcomes), at: time, earlier: ids }),
);

/** Reads how the last upgrade of a group ended; `undefined` if no tag says so. */
export function tryEnded(tags: Labels): EndedUpgrade | undefined {
  const ended = endedWords(tags[endedKey]);
  const issue = unhappy.includes(ended?.outcome ?? "done")
    ? textOfTag(tags[endedIssueKey] ?? "")
    : "";
  return ended && { ...ended, issue };
}

/** The tag of an upgrade that has changed nothing yet: it waits for its maintenance window, or its passes fail. */
export const waitingKey = `${tagPrefix}-waiting`;

/** An upgrade that has not begun yet. */
export interface Waiting {
  readonly id: string;
  /** When its window opens, or its first pass has failed. */
  readonly until: Instant;
}

/** The tag of an upgrade that has not begun yet. */
export const waitingTags = ({ id, until }: Waiting): Labels => ({
  [waitingKey]: written({ id, until: timestamp(until) }),
});

const waitingWords = wordsOf(record({ id: someText, until: time }));

/**
 * Reads which upgrade of a group has not begun yet. An aborted one does not count, even if a pass has written
 * the tag later.
 */
export function tryWaiting(tags: Labels): Waiting | undefined {
  const waiting = waitingWords(tags[waitingKey]);
  const ended = tryEnded(tags);
  const over = ended === undefined ? [] : [ended.id, ...ended.earlier];
  return waiting === undefined || over.includes(waiting.id) ? undefined : waiting;
}

/** The tags of a group about an upgrade. */
export type BookmarkReading =
  | { readonly kind: "none" }
  | ({ readonly kind: "waiting" } & Waiting)
  | { readonly kind: "bookmark"; readonly bookmark: Bookmark }
  /** Some of the tags were changed or removed by somebody. */
  | { readonly kind: "unreadable"; readonly key: string; readonly text: string };

export function readBookmark(tags: Labels): BookmarkReading {
  // An upgrade that has lost some of its tags must not begin again: the sizes of now are those of its surge.
  if (!isUnderUpgrade(tags)) return notBegun(tags);
  const more = moreWords(tags[bookmarkKeys.more]);
  return more === undefined ? unreadable("more", tags) : readCourse(more, tags);
}

function readCourse(
  more: Pick<Bookmark, "aside" | "drains" | "soak" | "unhealthy" | "watched">,
  tags: Labels,
): BookmarkReading {
  const state = stateWords(tags[bookmarkKeys.state]);
  if (state === undefined) return unreadable("state", tags);
  const progress = progressWords(tags[bookmarkKeys.progress]);
  if (progress === undefined) return unreadable("progress", tags);
  const to = toWords(tags[bookmarkKeys.to]);
  if (to === undefined) return unreadable("to", tags);
  const before = beforeWords(tags[bookmarkKeys.before]);
  if (before === undefined) return unreadable("before", tags);
  const options = tryOptions(tags);
  if (options === undefined) return unreadable("options", tags);
  const issue = textOfTag(tags[bookmarkKeys.issue] ?? "");
  return {
    kind: "bookmark",
    bookmark: { ...state, ...progress, ...more, ...to, before, options, issue },
  };
}

function notBegun(tags: Labels): BookmarkReading {
  const waiting = tryWaiting(tags);
  return waiting === undefined ? { kind: "none" } : { kind: "waiting", ...waiting };
}

const unreadable = (name: keyof typeof bookmarkKeys, tags: Labels): BookmarkReading => {
  const key = bookmarkKeys[name];
  return { kind: "unreadable", key, text: tags[key] ?? "" };
};

function tryOptions(tags: Labels): UpgradeOptions | undefined {
  const { options, limits, rules } = bookmarkKeys;
  const said = [options, limits, rules].flatMap((key) => [...wordsIn(tags[key] ?? "")]);
  const { as: _, ...words }: OptionWords = Object.fromEntries(said);
  const reading = readOptions(words);
  return reading.kind === "read" ? reading.options : undefined;
}
