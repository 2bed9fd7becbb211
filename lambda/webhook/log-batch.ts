import { malformed } from "../base/malformed.ts";
import { read, readJson } from "../base/read.ts";
import { anyText, listOf, record } from "../base/schema.ts";

/** Unpacks what CloudWatch Logs has compressed and encoded; throws what is no such thing. */
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
    throw malformed("awslogs.data", { expected: "gzip in base64", found: data }, { cause });
  }
}
