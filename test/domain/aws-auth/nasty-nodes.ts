import { arnOf } from "./corpus.ts";
import { type Draw, onceIn, oneOf, several } from "./draw.ts";
import { keys, values } from "./nasty-words.ts";

/** Indents all lines of a text but the first. */
export const indented = (text: string, by: number): string =>
  text.replaceAll("\n", `\n${" ".repeat(by)}`);

/** What may separate a dash or a colon from what follows. */
export const blank = (draw: Draw): string =>
  oneOf(draw, [" ", " ", " ", " ", " ", " ", "  ", "\t", " \t", "", "\n", " # a\n"]);

/** A value of YAML, of some depth, in lines or in brackets. */
export function anyNode(draw: Draw, depth: number, place: "flow" | "block" = "block"): string {
  if (onceIn(draw, 12)) return oneOf(draw, ["*a", "*b", ""]);
  const properties = ["&a ", "&a ", "&b ", "&a\n", "!!str ", "! ", "*a ", "? ", "- ", ": ", "\t"];
  const prefix = onceIn(draw, 12) ? oneOf(draw, properties) : "";
  const kind = depth <= 0 ? 0 : draw(4);
  if (kind < 2) return prefix + scalar(draw);
  return prefix + (place === "block" && kind === 2 ? lines(draw, depth) : flow(draw, depth));
}

function scalar(draw: Draw): string {
  const plain = onceIn(draw, 2)
    ? oneOf(draw, ["system:nodes", "a", "dev", "yes", "42", arnOf("Node")])
    : oneOf(draw, values);
  switch (draw(12)) {
    case 0:
      return JSON.stringify(plain);
    case 1:
      return `'${plain.replaceAll("'", "''")}'`;
    case 2:
      return `${plain}\n  ${oneOf(draw, values)}`;
    case 3:
      return blockScalar(draw);
    default:
      return plain;
  }
}

/** A block of text with any header, indentation and end. */
function blockScalar(draw: Draw): string {
  const chomping = ["", "", "", "-", "+", "1", "2", "-2", "1-", " # a", "#a", " a", "\t"];
  const line = () =>
    oneOf(draw, ["", " ", "  ", "    ", "\t", "\t "]) +
    oneOf(draw, ["a", "", "#a", "- a", "a: b", " ", "\t", "---"]);
  return [oneOf(draw, ["|", ">"]) + oneOf(draw, chomping), ...several(draw, 3, line)].join("\n  ");
}

function flow(draw: Draw, depth: number): string {
  const inner = () => (onceIn(draw, 8) ? "" : anyNode(draw, depth - 1, "flow"));
  const pair = () =>
    oneOf(draw, keys) + oneOf(draw, [": ", ": ", ":", " : ", "", ":\n "]) + inner();
  const comma = oneOf(draw, [", ", ",", " ,\n ", ",\n", " , # a\n  "]);
  const last = oneOf(draw, ["", "", "", ",", "\n", "\t", " # a\n"]);
  return onceIn(draw, 2)
    ? `[${several(draw, 3, inner).join(comma)}${last}]`
    : `{${several(draw, 3, pair).join(comma)}${last}}`;
}

function lines(draw: Draw, depth: number): string {
  const inner = () => indented(anyNode(draw, depth - 1), oneOf(draw, [2, 2, 2, 2, 1, 4, 0]));
  const item = () => `-${blank(draw)}${inner()}`;
  const pair = () =>
    `${oneOf(draw, keys)}:${blank(draw)}${onceIn(draw, 4) ? "\n  " : ""}${inner()}`;
  const make = onceIn(draw, 2) ? item : pair;
  const ending = oneOf(draw, ["\n", "\n", "\n", " # a\n", "\n\n", "\n# a\n"]);
  return [make(), ...several(draw, 2, make)].join(ending);
}
