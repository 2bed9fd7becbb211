import type { Scalar } from "yaml";

/** What YAML readers may read differently in a text, a number or another scalar, if anything. */
export function doubtOfScalar(
  scalar: Scalar,
  text: string,
  place: "in brackets" | "in lines",
): string | undefined {
  const [start = 0, end = 0] = scalar.range ?? [];
  const source = text.slice(start, end);
  switch (scalar.type) {
    case "PLAIN":
      return doubtOfPlain(scalar, place);
    case "QUOTE_SINGLE":
      return /^'(?:[^']|'')*'$/.test(source) ? undefined : unclosed;
    case "QUOTE_DOUBLE":
      return /^"(?:[^"\\]|\\.)*"$/s.test(source) ? doubtOfEscapes(source) : unclosed;
    case "BLOCK_FOLDED":
    case "BLOCK_LITERAL":
      return doubtOfBlock(text.slice(start), end - start);
    default:
      return undefined;
  }
}

function doubtOfPlain({ source = "", value }: Scalar, place: string): string | undefined {
  if (source.startsWith(":")) return "a text that begins with a colon";
  if (place === "in brackets" && source.includes("?")) return "a question mark in brackets";
  // JSON has no number that is infinite or NaN.
  if (typeof value === "number" && !Number.isFinite(value)) return "a number that is none";
  return (typeof value === "number") === isNumber(source)
    ? undefined
    : "a text that some readers take for a number";
}

// The authenticator takes a number that does not fit into 64 bits for a text.
const number =
  /^[-+]?(?:0x[\da-f]{1,15}|0o[0-7]{1,20}|0b[-+]?[01]{1,62}|(?:\.\d+|\d+(?:\.\d*)?)(?:e[-+]?\d+)?)$/i;

/** @see https://github.com/yaml/go-yaml/blob/v2.4.3/resolve.go */
const isNumber = (source: string): boolean =>
  /^[-+.\d]/.test(source) &&
  number.test(source.startsWith(".") ? source : source.replaceAll("_", ""));

const unclosed = "a quote that is not closed";
// Each half of a surrogate pair is invalid by itself, even where the other half follows.
const known = /^\\(?:[0abtnvfre "\\N_LPxU\t\r\n]|u(?![Dd][89A-Fa-f]))/;

function doubtOfEscapes(source: string): string | undefined {
  const odd = [...source.matchAll(/\\(?:u.{0,4}|.)/gs)].find(([one]) => !known.test(one));
  return odd === undefined ? undefined : `the escape ${odd[0]}`;
}

function doubtOfBlock(rest: string, length: number): string | undefined {
  const [header = ""] = rest.split("\n", 1);
  if (/^.[-+]?\d/.test(header)) return "a block of text with an indentation indicator";
  if (!/^.[-+]?(?:[ \t]+#.*|[ \t]*)\r?$/.test(header)) return "a text on the line of its | or >";
  // Readers disagree on whether such a block ends in a line break, unless its header says that it does not.
  return length === rest.length && !/^.-/.test(header) && /\n.*[^\n]$/s.test(rest)
    ? "a block of text that ends without a line break"
    : undefined;
}
