import type { Labels } from "../base/labels.ts";
import { tryInstantOf } from "../base/time.ts";
import type { NamedTemplate, NamedVersion, TemplateVersion } from "../group/scaling-group.ts";
import { bookmarkKeys, isUnderUpgrade, wordsIn } from "../group/tags.ts";
import { type Before, type Bookmark, phases, states } from "./bookmark.ts";
import { tryWaiting, type Waiting } from "./bookmark-tags.ts";
import { type OptionWords, readOptions, type UpgradeOptions } from "./options.ts";

/** What the tags of a group say about its upgrade. */
export type BookmarkReading =
  | { readonly kind: "none" }
  /** Nothing is changed yet. */
  | ({ readonly kind: "waiting" } & Waiting)
  | { readonly kind: "bookmark"; readonly bookmark: Bookmark }
  /** Somebody has changed or removed some of the tags. */
  | { readonly kind: "unreadable"; readonly key: string; readonly text: string };

/** Reads what the tags of a group say about its upgrade. */
export function readBookmark(tags: Labels): BookmarkReading {
  const text = (key: string) => tags[key] ?? "";
  // An upgrade that has lost some of its tags must not begin again, from sizes that are its own.
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

type Wish = Pick<Bookmark, "before" | "ending" | "options" | "to">;

/** What was wanted, and what was before; or the key of the tag that does not say it. */
function tryWish(text: (key: string) => string): Wish | { readonly key: string } {
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

type Progress = Pick<Bookmark, "entered" | "phase" | "roomy" | "seen" | "since" | "size">;

function tryProgress(text: string): Progress | undefined {
  const words = wordsIn(text);
  const phase = phases.find((one) => one === words.get("phase"));
  const size = tryCount(words.get("size"));
  const [since, seen] = ["since", "seen"].map((name) => tryInstantOf(words.get(name) ?? ""));
  if (phase === undefined || size === undefined) return undefined;
  if (since === undefined || seen === undefined) return undefined;
  const entered = tryInstantOf(words.get("entered") ?? "") ?? since;
  // An upgrade that an earlier version of the function has begun does not say it.
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
