import {
  FilterLogEvents$,
  type FilterLogEventsRequest,
  type FilterLogEventsResponse,
} from "@aws-sdk/client-cloudwatch-logs";
import { type Instant, instant } from "../../lambda/base/time.ts";
import { tryJson } from "../../lambda/base/try-json.ts";
import type { Timeline } from "../timeline.ts";
import { type Account, arnOf } from "./account.ts";
import { AwsError } from "./aws-error.ts";
import { type Operation, operation } from "./operation.ts";
import { page } from "./page.ts";

/** A field of a JSON line, and the value that it must have. */
interface FieldPattern {
  readonly field: string;
  readonly value: string;
}

const equality = /^\$\.(\w+) = "([^"]*)"$/;

/**
 * Reads a filter pattern that wants one of some fields to have a value, such as `{ $.kind = "fault" || $.kind = "warning" }`.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
 */
export function tryFields(pattern: string): readonly FieldPattern[] | undefined {
  const [, inside = ""] = /^\{ (.*) \}$/.exec(pattern) ?? [];
  const terms = inside.split(" || ");
  const fields = terms.flatMap((term) => {
    const [, field, value] = equality.exec(term) ?? [];
    return field === undefined || value === undefined ? [] : [{ field, value }];
  });
  return fields.length === terms.length ? fields : undefined;
}

/** Says of a line whether a filter pattern of such fields takes it; throws for another pattern. */
export function takenBy(pattern: string): (line: string) => boolean {
  const fields = tryFields(pattern);
  if (fields === undefined) throw new Error(`the sandbox cannot read the pattern ${pattern}`);
  return (line) => fields.some((field) => holds(field, line));
}

/** Whether a line is JSON in which a field has a value. */
export const holds = ({ field, value }: FieldPattern, line: string): boolean =>
  Object(tryJson(line))[field] === value;

/** A line in a log group. */
export interface LogEvent {
  readonly id: string;
  readonly stream: string;
  readonly at: Instant;
  readonly message: string;
}

const stream = "2026/03/23/[$LATEST]4f2a";

/** The log groups of an account, each with its lines in the order in which they came. */
export class LogGroups {
  readonly #timeline: Timeline;
  readonly #account: Account;
  readonly #groups = new Map<string, LogEvent[]>();
  readonly #subscribers = new Map<string, (event: LogEvent) => void>();

  constructor(timeline: Timeline, account: Account) {
    this.#timeline = timeline;
    this.#account = account;
  }

  /** Creates a group without lines. */
  create(group: string): void {
    this.#groups.set(group, this.#groups.get(group) ?? []);
  }

  /** Writes a line, into a new group if there is none of the name. */
  write(group: string, message: string, at: Instant = this.#timeline.now()): void {
    const events = this.#groups.get(group) ?? [];
    const id = `${at}${events.length}`.padStart(56, "0");
    const event = { id, stream, at: instant(Math.floor(at)), message };
    events.push(event);
    this.#groups.set(group, events);
    this.#subscribers.get(group)?.(event);
  }

  /** Tells somebody of every further line of a group. */
  subscribe(group: string, hear: (event: LogEvent) => void): void {
    this.#subscribers.set(group, hear);
  }

  find(group: string): readonly LogEvent[] {
    const events = this.#groups.get(group);
    if (events !== undefined) return events;
    throw new AwsError("ResourceNotFoundException", "The specified log group does not exist.");
  }

  arnOf(group: string): string {
    return arnOf(this.#account, "logs", `log-group:${group}:log-stream:`);
  }
}

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
