import {
  FilterLogEvents$,
  type FilterLogEventsRequest,
  type FilterLogEventsResponse,
} from "@aws-sdk/client-cloudwatch-logs";
import { AwsError } from "../aws-error.ts";
import { type Operation, operation } from "../operation.ts";
import { page } from "../page.ts";
import { holds, tryFields } from "./filter-pattern.ts";
import type { LogEvent, LogGroups } from "./log-groups.ts";

/**
 * How many lines one call searches: a page may be empty although later ones are not.
 * @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_FilterLogEvents.html
 */
const searchedAtOnce = 100;

function filterLogEvents(
  groups: LogGroups,
  { logGroupName = "", startTime = 0, endTime, filterPattern, nextToken }: FilterLogEventsRequest,
): FilterLogEventsResponse {
  const matches = matcherOf(filterPattern ?? "");
  const until = endTime ?? Number.POSITIVE_INFINITY;
  const inTime = groups.find(logGroupName).filter(({ at }) => at >= startTime && at <= until);
  const { items, next } = page(inTime, { size: searchedAtOnce, token: nextToken });
  const answer = { events: items.filter(({ message }) => matches(message)).map(wireEvent) };
  return next === undefined ? answer : { ...answer, nextToken: next };
}

const wireEvent = ({ id, stream, at, message }: LogEvent) => ({
  eventId: id,
  logStreamName: stream,
  timestamp: at,
  ingestionTime: at,
  message,
});

/** Patterns here are one term in quotes, fields of JSON that may have some values, or none; other patterns are refused rather than misread. */
function matcherOf(pattern: string): (message: string) => boolean {
  const [, term] = /^"([^"\\]*)"$/.exec(pattern) ?? [];
  if (term !== undefined) return (message) => message.includes(term);
  if (pattern === "") return () => true;
  const fields = tryFields(pattern);
  if (fields !== undefined) return (message) => fields.some((field) => holds(field, message));
  throw new AwsError("InvalidParameterException", "Invalid filter pattern");
}

/** The operations of CloudWatch Logs that the sandbox supports. */
export const logsOperations = (groups: LogGroups): readonly Operation[] => [
  operation<FilterLogEventsRequest, FilterLogEventsResponse>(FilterLogEvents$, {
    permissions: ({ logGroupName = "" }) => [
      { action: "logs:FilterLogEvents", resource: groups.arnOf(logGroupName) },
    ],
    run: (input) => filterLogEvents(groups, input),
  }),
];
