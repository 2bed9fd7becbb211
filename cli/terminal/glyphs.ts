import type { Io } from "../io.ts";

/** The glyphs of a timeline for a terminal with UTF-8. */
export const unicodeGlyphs = {
  onNode: "░",
  held: "▒",
  ending: "█",
  awaited: "▚",
  pass: "─",
  phase: "━",
  elsewhere: "▲",
  heartbeat: "·",
  done: "●",
  fault: "✖",
  ellipsis: "…",
};

export type Glyphs = typeof unicodeGlyphs;

const asciiGlyphs: Glyphs = {
  onNode: "-",
  held: "=",
  ending: "#",
  awaited: "+",
  pass: "_",
  phase: "~",
  elsewhere: "^",
  heartbeat: ".",
  done: "*",
  fault: "!",
  ellipsis: "~",
};

/** Chooses the glyphs by the locale. Without a locale, the terminal is assumed to support UTF-8. */
export function glyphsFor({ env }: Pick<Io, "env">): Glyphs {
  const { LC_ALL: all, LC_CTYPE: type, LANG: language } = env;
  const locale = [all, type, language].find((value = "") => value !== "");
  return locale === undefined || /utf-?8/i.test(locale) ? unicodeGlyphs : asciiGlyphs;
}
