import {
  FilterLogEvents$,
  type FilterLogEventsRequest,
  type FilterLogEventsResponse,
} from "@aws-sdk/client-cloudwatch-logs";
import { type Operation, operation } from "../operation.ts";
import { page } from "../page.ts";
import { passesPattern } from "./filter-pattern.ts";
import type { Logs } from "./logs.ts";

function filter(logs: Logs, request: FilterLogEventsRequest): FilterLogEventsResponse {
  const { startTime = 0, endTime = Number.POSITIVE_INFINITY } = request;
  const wanted = logs
    .events(request.logGroupName ?? "")
    .filter(({ at }) => at >= startTime && at <= endTime)
    .filter(({ message }) => passesPattern(message, request.filterPattern ?? ""));
  const { items, next } = page(wanted, { size: request.limit ?? 10_000, token: request.nextToken });
  const events = items.map(({ id: eventId, at: timestamp, message }) => ({
    eventId,
    timestamp,
    ingestionTime: timestamp,
    message,
    logStreamName: "2026/01/01/[$LATEST]sandbox",
  }));
  return { events, nextToken: next };
}

/** The operations of CloudWatch Logs that the sandbox supports. */
export const logsOperations = (logs: Logs): readonly Operation[] => [
  operation<FilterLogEventsRequest, FilterLogEventsResponse>(FilterLogEvents$, {
    permissions: ({ logGroupName = "" }) => [
      { action: "logs:FilterLogEvents", resource: logs.arnOf(logGroupName) },
    ],
    run: (request) => filter(logs, request),
  }),
];
