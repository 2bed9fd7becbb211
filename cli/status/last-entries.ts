import { CloudWatchLogsClient, paginateFilterLogEvents } from "@aws-sdk/client-cloudwatch-logs";
import { tryReadEntry } from "../../journal/entry-schema.ts";
import type { Dated } from "../../lambda/domain/entry.ts";
import { type Duration, hours, type Instant } from "../../lambda/domain/time.ts";
import type { AwsAccess } from "../connect/aws-access.ts";
import { type Found, readFrom } from "../connect/found.ts";

/** How far back the log is read. */
export const logSpan: Duration = hours(1);

const pattern = '{ $.kind = "fault" || $.kind = "heartbeat" }';
const mostPages = 50;

/** What was found in the log. */
export interface LastEntries {
  readonly entries: readonly Dated[];
  /** Whether the log was read to its end. */
  readonly isWhole: boolean;
}

/** The faults and heartbeats that the function has logged lately. */
export async function lastEntries(
  logGroup: Found<string>,
  aws: AwsAccess,
  now: Instant,
): Promise<Found<LastEntries>> {
  if (logGroup.kind === "unknown") return logGroup;
  const { value: logGroupName } = logGroup;
  return readFrom(`reading the log ${logGroupName}`, "logs:FilterLogEvents", async () => {
    const client = new CloudWatchLogsClient(aws);
    const request = { logGroupName, filterPattern: pattern, startTime: now - logSpan };
    const entries: Dated[] = [];
    let pages = 0;
    for await (const page of paginateFilterLogEvents({ client }, request)) {
      const { events = [], nextToken } = page;
      entries.push(...events.flatMap(({ message = "" }) => tryReadEntry(message) ?? []));
      pages += 1;
      if (pages >= mostPages) return { entries, isWhole: nextToken === undefined };
    }
    return { entries, isWhole: true };
  });
}
