import { legible } from "../../lambda/base/legible.ts";

/** HTML in which every text is escaped. */
export interface Markup {
  readonly markup: string;
}

type HtmlPart = string | Markup | readonly Markup[];

/** Escapes texts and puts them into HTML; markup stays as it is. */
export const html = (strings: TemplateStringsArray, ...parts: readonly HtmlPart[]): Markup => ({
  markup: String.raw({ raw: strings }, ...parts.map(written)),
});

function written(part: HtmlPart): string {
  if (typeof part === "string") return escaped(part);
  return "markup" in part ? part.markup : part.map(written).join("");
}

const escaped = (text: string): string =>
  legible(text).replace(/[&<>"'`]/g, (sign) => `&#${sign.charCodeAt(0)};`);
