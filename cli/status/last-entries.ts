import { CloudWatchLogsClient, paginateFilterLogEvents } from "@aws-sdk/client-cloudwatch-logs";
import type { Dated } from "../../journal/entry.ts";
import { tryReadEntry } from "../../journal/entry-schema.ts";
import { type Duration, hours, type Instant, instant } from "../../lambda/base/time.ts";
import type { AwsAccess } from "../connect/aws-access.ts";
import { type Found, readFrom } from "../connect/found.ts";

/** The span of the log that is read. */
const logSpan: Duration = hours(1);

const mostPages = 50;

const kinds = ["fault", "heartbeat", "notice-done", "pass-started", "pod-refused"] as const;

/** The entries found in the log. */
export interface LastEntries {
  readonly entries: readonly Dated[];
  /** True if the log was read to its end. */
  readonly isWhole: boolean;
}

/** The filter pattern for entries of these kinds. */
export const ofKinds = (...kinds: readonly Dated["kind"][]): string =>
  `{ ${kinds.map((kind) => `$.kind = "${kind}"`).join(" || ")} }`;

/** The recent entries of the function's log that tell how far its work is. */
export const lastEntries = (
  logGroup: Found<string>,
  aws: AwsAccess,
  now: Instant,
): Promise<Found<LastEntries>> =>
  entriesIn(logGroup, aws, ofKinds(...kinds), instant(now - logSpan));

/** The entries of a function's log since some time that match a pattern. */
export async function entriesIn(
  logGroup: Found<string>,
  aws: AwsAccess,
  filterPattern: string,
  startTime: Instant,
): Promise<Found<LastEntries>> {
  if (logGroup.kind === "unknown") return logGroup;
  const { value: logGroupName } = logGroup;
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
