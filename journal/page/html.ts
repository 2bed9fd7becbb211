import { legible } from "../../lambda/base/legible.ts";

/** A piece of HTML in which every text is escaped already. */
export interface Markup {
  readonly markup: string;
}

type HtmlPart = string | Markup | readonly Markup[];

/** Puts texts into HTML, escaped; pieces of HTML stay as they are. */
export const html = (strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Markup => ({
  markup: String.raw({ raw: strings }, ...parts.map(written)),
});

function written(part: HtmlPart): string {
  if (typeof part === "string") return escaped(part);
  return "markup" in part ? part.markup : part.map(written).join("");
}

const escaped = (text: string): string =>
  legible(text).replace(/[&<>"'`]/g, (sign) => `&#${sign.charCodeAt(0)};`);
