import type { Labels } from "../../labels.ts";
import { timestamp, tryInstantOf } from "../../time.ts";
import type { NamedTemplate, NamedVersion, TemplateVersion } from "../fleet.ts";
import { type OptionWords, optionWords, readOptions } from "../options/options.ts";
import type { UpgradeOptions } from "../request.ts";
import { type Before, type Bookmark, type Ended, phases, states } from "./bookmark.ts";

const prefix = "eks-node-lifecycle/upgrade";

/** The tags of a group by which its upgrade survives its passes. All of them are gone at its end. */
export const bookmarkKeys = {
  state: prefix,
  /** Written apart from the state, so that a pass never overwrites what somebody has just said. */
  progress: `${prefix}-progress`,
  to: `${prefix}-to`,
  before: `${prefix}-before`,
  options: `${prefix}-options`,
  /** The two options that need the most room. */
  rules: `${prefix}-rules`,
  issue: `${prefix}-issue`,
} as const;

/** The tag that says how the last upgrade of a group has ended, and the one that says why it failed. */
export const endedKey = `${prefix}-ended`;

/** The tag that says why the last upgrade of a group failed or was refused. */
export const endedIssueKey = `${prefix}-ended-issue`;

/** What the tags of a group say about its upgrade. */
export type BookmarkReading =
  | { readonly kind: "none" }
  | { readonly kind: "bookmark"; readonly bookmark: Bookmark }
  /** Somebody has changed or removed some of the tags. */
  | { readonly kind: "unreadable"; readonly key: string; readonly text: string };

/** Writes a bookmark as tags, in the characters that Auto Scaling allows. */
export function bookmarkTags(bookmark: Bookmark): Labels {
  const { to, ending, before, options } = bookmark;
  const { min, max, desired } = before.sizes;
  const { window, check, ...others } = optionWords(options);
  return {
    ...stateTags(bookmark),
    ...progressTags(bookmark),
    [bookmarkKeys.to]: written({
      template: to.template,
      version: to.version,
      ending: named(ending),
    }),
    [bookmarkKeys.before]: written({
      ...{ template: before.template.template, version: named(before.template.version) },
      ...{ min, max, desired, pending: before.pending },
    }),
    [bookmarkKeys.options]: written({ as: "usual", ...others }),
    [bookmarkKeys.rules]: written({ as: "usual", ...present({ window, check }) }),
  };
}

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

type Words = Readonly<Partial<Record<string, number | string>>>;

const written = (words: Words): string =>
  Object.entries(words)
    .map(([name, word]) => `${name}=${word}`)
    .join(" ");

/** Auto Scaling allows no `$` in a tag. */
const named = (version: NamedVersion): string => String(version).replace("$", "");

const wordsIn = (text: string): Read =>
  new Map(
    text.split(" ").map((word) => {
      const at = word.indexOf("=");
      return [word.slice(0, at), word.slice(at + 1)];
    }),
  );

type Read = ReadonlyMap<string, string>;

/** Reads what the tags of a group say about its upgrade. */
export function readBookmark(tags: Labels): BookmarkReading {
  const text = (key: string) => tags[key] ?? "";
  // An upgrade that has lost some of its tags must not begin again, from sizes that are its own.
  if (lasting.every((key) => tags[key] === undefined)) return { kind: "none" };
  const state = tryState(text(bookmarkKeys.state));
  if (state === undefined) return unreadable(bookmarkKeys.state, tags);
  const progress = tryProgress(text(bookmarkKeys.progress));
  if (progress === undefined) return unreadable(bookmarkKeys.progress, tags);
  const wish = tryWish(text);
  if ("key" in wish) return unreadable(wish.key, tags);
  const issue = text(bookmarkKeys.issue);
  return { kind: "bookmark", bookmark: { ...state, ...progress, ...wish, issue } };
}

const lasting = Object.values(bookmarkKeys).filter((key) => key !== bookmarkKeys.issue);

type Wish = Pick<Bookmark, "before" | "ending" | "options" | "to">;

/** What was wanted, and what was before; or the key of the tag that does not say it. */
function tryWish(text: (key: string) => string): Wish | { readonly key: string } {
  const to = tryTo(text(bookmarkKeys.to));
  if (to === undefined) return { key: bookmarkKeys.to };
  const before = tryBefore(text(bookmarkKeys.before));
  if (before === undefined) return { key: bookmarkKeys.before };
  const said = [bookmarkKeys.options, bookmarkKeys.rules].map((key) => wordsIn(text(key)));
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

type State = Pick<Bookmark, "begun" | "carrier" | "id" | "overtaken" | "state" | "told">;

function tryState(text: string): State | undefined {
  const words = wordsIn(text);
  const [id = "", carrier = ""] = [words.get("id"), words.get("carrier")];
  const state = states.find((one) => one === words.get("state"));
  const begun = tryInstantOf(words.get("begun") ?? "");
  if (id === "" || carrier === "" || state === undefined || begun === undefined) return undefined;
  const told = tryInstantOf(words.get("told") ?? "") ?? begun;
  return { id, carrier, state, begun, told, overtaken: words.get("over")?.split("+") ?? [] };
}

type Progress = Pick<Bookmark, "entered" | "phase" | "seen" | "since" | "size">;

function tryProgress(text: string): Progress | undefined {
  const words = wordsIn(text);
  const phase = phases.find((one) => one === words.get("phase"));
  const size = tryCount(words.get("size"));
  const [since, seen] = ["since", "seen"].map((name) => tryInstantOf(words.get(name) ?? ""));
  if (phase === undefined || size === undefined) return undefined;
  if (since === undefined || seen === undefined) return undefined;
  const entered = tryInstantOf(words.get("entered") ?? "") ?? since;
  return { phase, size, entered, since, seen };
}

const tryCount = (text = ""): number | undefined =>
  /^\d{1,9}$/.test(text) ? Number(text) : undefined;

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

const unhappy: readonly Ended["outcome"][] = ["failed", "refused"];
const outcomes: readonly Ended["outcome"][] = ["done", "aborted", "scaled-elsewhere", ...unhappy];

/** Writes how an upgrade has ended. */
export const endedTags = ({ id, outcome, at, issue }: Ended): Labels => ({
  [endedKey]: written({ id, outcome, at: timestamp(at) }),
  ...(issue === "" ? {} : { [endedIssueKey]: issue }),
});

/** Reads how the last upgrade of a group has ended; `undefined` when no tag says so. */
export function tryEnded(tags: Labels): Ended | undefined {
  const words = wordsIn(tags[endedKey] ?? "");
  const outcome = outcomes.find((one) => one === words.get("outcome"));
  const at = tryInstantOf(words.get("at") ?? "");
  const id = words.get("id") ?? "";
  if (outcome === undefined || at === undefined) return undefined;
  return { id, outcome, at, issue: unhappy.includes(outcome) ? (tags[endedIssueKey] ?? "") : "" };
}

const longestValue = 256;

/** A text as a tag can have it: Auto Scaling allows 256 letters, digits, spaces and `_ . : / = + - @`. */
export const taggable = (text: string): string =>
  text
    .replace(/[^\p{L}\p{N} _.:/=+@-]+/gu, " ")
    .replace(/ {2,}/g, " ")
    .trim()
    .slice(0, longestValue)
    .trimEnd();
