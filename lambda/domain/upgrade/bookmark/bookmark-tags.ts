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
  to: `${prefix}-to`,
  before: `${prefix}-before`,
  options: `${prefix}-options`,
  /** The two options that need the most room. */
  rules: `${prefix}-rules`,
  issue: `${prefix}-issue`,
} as const;

/** The tag that says how the last upgrade of a group has ended, and the one that says why it failed. */
export const endedKey = `${prefix}-ended`;

/** The tag that says why the last upgrade of a group failed. */
export const endedIssueKey = `${prefix}-ended-issue`;

/** What the tags of a group say about its upgrade. */
export type BookmarkReading =
  | { readonly kind: "none" }
  | { readonly kind: "bookmark"; readonly bookmark: Bookmark }
  /** Somebody has changed or removed some of the tags. */
  | { readonly kind: "unreadable"; readonly key: string; readonly text: string };

/** Writes a bookmark as tags, in the characters that Auto Scaling allows. */
export function bookmarkTags(bookmark: Bookmark): Labels {
  const { id, phase, state, carrier, size, to, ending, before, options, issue } = bookmark;
  const times = { begun: bookmark.begun, since: bookmark.since, seen: bookmark.seen };
  const { min, max, desired } = before.sizes;
  const { window, check, ...others } = optionWords(options);
  return {
    [bookmarkKeys.state]: written({ id, phase, state, carrier, size, ...stamped(times) }),
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
    ...(issue === "" ? {} : { [bookmarkKeys.issue]: issue }),
  };
}

type Times = Pick<Bookmark, "begun" | "seen" | "since">;

const stamped = ({ begun, since, seen }: Times) => ({
  begun: timestamp(begun),
  since: timestamp(since),
  seen: timestamp(seen),
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
  if (tags[bookmarkKeys.state] === undefined) return { kind: "none" };
  const state = tryState(text(bookmarkKeys.state));
  if (state === undefined) return unreadable(bookmarkKeys.state, tags);
  const to = tryTo(text(bookmarkKeys.to));
  if (to === undefined) return unreadable(bookmarkKeys.to, tags);
  const before = tryBefore(text(bookmarkKeys.before));
  if (before === undefined) return unreadable(bookmarkKeys.before, tags);
  const said = [bookmarkKeys.options, bookmarkKeys.rules].map((key) => wordsIn(text(key)));
  const options = tryOptions(Object.fromEntries(said.flatMap((words) => [...words])));
  if (options === undefined) return unreadable(bookmarkKeys.options, tags);
  const issue = text(bookmarkKeys.issue);
  return { kind: "bookmark", bookmark: { ...state, ...to, before, options, issue } };
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

type State = Omit<Bookmark, "before" | "ending" | "issue" | "options" | "to">;

function tryState(text: string): State | undefined {
  const words = wordsIn(text);
  const [id = "", carrier = ""] = [words.get("id"), words.get("carrier")];
  const phase = phases.find((one) => one === words.get("phase"));
  const state = states.find((one) => one === words.get("state"));
  const times = tryTimes(words);
  const size = tryCount(words.get("size"));
  if (id === "" || carrier === "" || phase === undefined || state === undefined) return undefined;
  return times === undefined || size === undefined
    ? undefined
    : { id, carrier, phase, state, size, ...times };
}

function tryTimes(words: Read): Times | undefined {
  const [begun, since, seen] = ["begun", "since", "seen"].map((name) =>
    tryInstantOf(words.get(name) ?? ""),
  );
  if (begun === undefined || since === undefined || seen === undefined) return undefined;
  return { begun, since, seen };
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

const outcomes: readonly Ended["outcome"][] = ["done", "aborted", "failed", "scaled-elsewhere"];

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
  return { id, outcome, at, issue: outcome === "failed" ? (tags[endedIssueKey] ?? "") : "" };
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
