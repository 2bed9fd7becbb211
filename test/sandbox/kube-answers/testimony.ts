import type { Reply } from "./witness.ts";

const masks: readonly (readonly [RegExp, string])[] = [
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "UID"],
  [/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "TIME"],
  [/"resourceVersion":"\d+"/g, '"resourceVersion":"RV"'],
  [/ResourceVersion in record \(\d+\)/g, "ResourceVersion in record (RV)"],
  [/(too old resource version: \d+) \(\d+\)/g, "$1 (RV)"],
  [/(Too large resource version: \d+, current:) \d+/g, "$1 RV"],
];

/** Masks what depends on chance or the clock; the rest stays, byte for byte. */
function masked(text: string): string {
  const tokens = text.replace(/"continue":"([^"]+)"/g, (_, token: string) => {
    const told = Buffer.from(token, "base64url").toString();
    return `"continue":${JSON.stringify(told.replace(/"rv":\d+/, '"rv":RV'))}`;
  });
  return masks.reduce((result, [pattern, mask]) => result.replace(pattern, mask), tokens);
}

/** Sorts the members of a value by name. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).map(([name, member]) => [name, sorted(member)] as const);
  return Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

/** The parts of an answer that are compared: code, the headers that clients act on, and text. */
export interface Testimony {
  readonly status: number;
  readonly type: string | undefined;
  readonly retryAfter?: string;
  readonly body: string;
}

/** Extracts the compared parts of an answer; a `look` reduces its object first. */
export function testimonyOf(reply: Reply, look?: (object: never) => unknown): Testimony {
  const retryAfter = reply.headers["retry-after"];
  const seen =
    look === undefined || reply.status >= 400
      ? reply.body
      : JSON.stringify(sorted(look(JSON.parse(reply.body) as never)));
  return {
    status: reply.status,
    type: reply.headers["content-type"],
    ...(retryAfter === undefined ? {} : { retryAfter }),
    // The sandbox lists no causes of a refusal of what is invalid.
    body: reply.status === 422 ? "" : masked(seen),
  };
}
