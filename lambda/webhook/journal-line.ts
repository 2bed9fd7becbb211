import { newsKind } from "../base/contract.ts";
import { instanceField } from "../base/field.ts";
import { actionToken, groupName, nodeName } from "../base/ids.ts";
import { anyText, made, oneOf, optional, orElse, record } from "../base/schema.ts";
import { tryJson } from "../base/try-json.ts";
import type { Subject } from "../notice/subject.ts";
import type { News } from "../registrations/entry.ts";

/** News, and what they are about. */
export interface NewsLine extends News {
  readonly about: Pick<Subject, "group" | "instance" | "token">;
}

const text = anyText("a text");

const newsIn = record({
  kind: oneOf(newsKind),
  news: oneOf("start", "block", "end"),
  tone: oneOf("good", "warning"),
  node: made(text, nodeName),
  ...{ since: text, text, advice: text },
  instance: optional(instanceField),
  group: optional(made(text, groupName)),
  token: optional(made(text, actionToken)),
});

const orNone = orElse<ReturnType<typeof newsIn> | undefined>(newsIn, undefined);

/** Reads a line of the journal; `undefined` if it has no news. */
export function tryReadJournalLine(line: string): NewsLine | undefined {
  const found = orNone(tryJson(line), "");
  if (found === undefined) return undefined;
  const { kind: _, group, instance, token, ...news } = found;
  const about = { ...(instance && { instance }), ...(group && { group }) };
  return { ...news, about: { ...about, ...(token && { token }) } };
}
