import type { Json } from "../json.ts";

const escapes: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** Writes JSON as Go does: on one line, with a few more characters escaped than JSON requires. */
export const encode = (value: Json | object): string =>
  `${JSON.stringify(value).replace(/[<>&\u2028\u2029]/g, (character) => escapes[character] ?? "")}\n`;
