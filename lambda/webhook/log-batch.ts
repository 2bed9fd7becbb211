import { newsKind } from "../base/contract.ts";
import { instanceField } from "../base/field.ts";
import { actionToken, groupName, nodeName } from "../base/ids.ts";
import { malformed } from "../base/malformed.ts";
import { read, readJson } from "../base/read.ts";
import { anyText, listOf, made, oneOf, optional, orElse, record } from "../base/schema.ts";
import { tryJson } from "../base/try-json.ts";
import type { Subject } from "../notice/subject.ts";
import type { News } from "../report/report-entry.ts";

/** Decodes and decompresses the data of a subscription of CloudWatch Logs. Throws if it has another form. */
export type Unpacks = (data: string) => string;

const envelope = record({ awslogs: record({ data: anyText("compressed lines, in base64") }) });
const batch = record({
  logEvents: listOf(record({ message: anyText("a line") }), "a list of lines"),
});

/** Reads the lines that a subscription of CloudWatch Logs brings. @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/SubscriptionFilters.html */
export function readLogBatch(event: unknown, unpack: Unpacks): readonly string[] {
  const { data } = read(envelope, event, "").awslogs;
  const path = "awslogs.data";
  const content = read(batch, readJson(unpacked(data, unpack), path), path);
  return content.logEvents.map(({ message }) => message.trimEnd());
}

function unpacked(data: string, unpack: Unpacks): string {
  try {
    return unpack(data);
  } catch (cause) {
    throw malformed("awslogs.data", "gzip in base64", data, { cause });
  }
}

/** News of the journal, and the instance, group and node that they are about. */
export interface NewsLine extends News {
  readonly about: Pick<Subject, "group" | "instance" | "token">;
}

const text = anyText("a text");

const newsIn = record({
  kind: oneOf(newsKind),
  news: oneOf("start", "block", "end"),
  tone: oneOf("good", "warning"),
  node: made(text, nodeName),
  since: text,
  text,
  advice: text,
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
