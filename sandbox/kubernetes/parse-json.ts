import type { Json } from "./json.ts";

/** The value of a JSON text, or what is wrong with the text. */
export type Parsed =
  | { readonly value: Json; readonly problem?: undefined }
  | { readonly problem: string };

/** Says in Go's words where the text is wrong, as far as both parsers agree on the place. */
function goProblem(text: string, complaint: string): string {
  const at = Number(/at position (\d+)/.exec(complaint)?.[1] ?? text.length);
  if (at >= text.length) return "unexpected end of JSON input";
  const wanted = complaint.startsWith("Expected property name") ? "object key string" : "value";
  return `invalid character '${text[at]}' looking for beginning of ${wanted}`;
}

/** Reads JSON. */
export function parseJson(text: string): Parsed {
  try {
    return { value: JSON.parse(text) as Json };
  } catch (error) {
    return { problem: goProblem(text, error instanceof Error ? error.message : "") };
  }
}
