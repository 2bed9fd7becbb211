import { CloudWatchLogsClient, paginateFilterLogEvents } from "@aws-sdk/client-cloudwatch-logs";
import { tryReadEntry } from "../../journal/entry-schema.ts";
import type { Dated } from "../../lambda/domain/entry.ts";
import { type Duration, hours, type Instant, instant } from "../../lambda/domain/time.ts";
import type { AwsAccess } from "../connect/aws-access.ts";
import { type Found, readFrom } from "../connect/found.ts";

/** How far back the log is read. */
export const logSpan: Duration = hours(1);

const mostPages = 50;

/** What was found in the log. */
export interface LastEntries {
  readonly entries: readonly Dated[];
  /** Whether the log was read to its end. */
  readonly isWhole: boolean;
}

/** Which entries of the log are read. */
export interface LogQuestion {
  readonly kinds: readonly Dated["kind"][];
  readonly since: Instant;
}

/** The faults and heartbeats that the function has logged lately. */
export const lastEntries = (
  logGroup: Found<string>,
  aws: AwsAccess,
  now: Instant,
): Promise<Found<LastEntries>> =>
  entriesIn(logGroup, aws, { kinds: ["fault", "heartbeat"], since: instant(now - logSpan) });

/** The entries of some kinds that the function has logged since some time. */
export async function entriesIn(
  logGroup: Found<string>,
  aws: AwsAccess,
  { kinds, since: startTime }: LogQuestion,
): Promise<Found<LastEntries>> {
  if (logGroup.kind === "unknown") return logGroup;
  const { value: logGroupName } = logGroup;
  const filterPattern = `{ ${kinds.map((kind) => `$.kind = "${kind}"`).join(" || ")} }`;
  return readFrom(`reading the log ${logGroupName}`, "logs:FilterLogEvents", async () => {
    const client = new CloudWatchLogsClient(aws);
    const request = { logGroupName, filterPattern, startTime };
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
