import { legible } from "../../lambda/base/legible.ts";

const joints = ["/", "-", ".", ",", ":"];

/** Wraps a legible text: between words, or, in a word that is too long, behind a character such as `/`. */
export function wrapped(text: string, width: number): readonly string[] {
  const room = Math.max(1, width);
  const lines: string[] = [];
  let rest = legible(text);
  while (rest.length > room) {
    const { end, next } = breakIn(rest, room);
    lines.push(rest.slice(0, end));
    rest = rest.slice(next);
  }
  return [...lines, rest];
}

/** The end of a line, and the beginning of the next. */
function breakIn(text: string, width: number): { readonly end: number; readonly next: number } {
  const space = text.lastIndexOf(" ", width);
  if (space > 0) return { end: space, next: space + 1 };
  const joint = Math.max(...joints.map((sign) => text.lastIndexOf(sign, width - 1)));
  const end = joint > 0 ? joint + 1 : width;
  return { end, next: end };
}
