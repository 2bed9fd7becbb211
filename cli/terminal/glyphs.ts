import type { Io } from "../io.ts";

/** The signs of a timeline, and an ellipsis. */
export interface Glyphs {
  readonly onNode: string;
  readonly held: string;
  readonly ending: string;
  readonly awaited: string;
  readonly pass: string;
  readonly phase: string;
  readonly elsewhere: string;
  readonly heartbeat: string;
  readonly done: string;
  readonly fault: string;
  readonly ellipsis: string;
}

/** The signs for a terminal that shows UTF-8. */
export const unicodeGlyphs: Glyphs = {
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
