import type { Io } from "../io.ts";

/** The signs of a timeline, and an ellipsis, for a terminal that shows UTF-8. */
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

/** The signs that are drawn. */
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

/** Chooses the signs by the locale; a terminal whose locale is not set is taken to show UTF-8. */
export function glyphsFor({ env }: Pick<Io, "env">): Glyphs {
  const { LC_ALL: all, LC_CTYPE: type, LANG: language } = env;
  const locale = [all, type, language].find((value = "") => value !== "");
  return locale === undefined || /utf-?8/i.test(locale) ? unicodeGlyphs : asciiGlyphs;
}
