import { FilterLogEvents$, type FilterLogEventsRequest } from "@aws-sdk/client-cloudwatch-logs";
import { type Instant, instant } from "../../lambda/base/time.ts";
import { tryJson } from "../../lambda/base/try-json.ts";
import type { Timeline } from "../timeline.ts";
import { type Account, arnOf } from "./account.ts";
import { AwsError } from "./aws-error.ts";
import { type Operation, operation } from "./operation.ts";
import { page } from "./page.ts";

const equality = /^\$\.(\w+) = "([^"]*)"$/;

/**
 * Says of a line whether a filter pattern takes it: a term in quotes, none, or one that wants one of some fields to have a
 * value, such as `{ $.kind = "fault" || $.kind = "warning" }`. Other patterns are refused rather than misread.
 *
 * @see https://docs.aws.amazon.com/AmazonCloudWatch/latest/logs/FilterAndPatternSyntax.html
 */
export function takenBy(pattern: string): (line: string) => boolean {
  const [, term] = /^"([^"\\]*)"$/.exec(pattern) ?? [];
  if (pattern === "" || term !== undefined) return (line) => line.includes(term ?? "");
  const [, inside = ""] = /^\{ (.*) \}$/.exec(pattern) ?? [];
  const fields = inside.split(" || ").map((one) => equality.exec(one) ?? []);
  if (fields.some(([whole]) => whole === undefined))
    throw new AwsError("InvalidParameterException", "Invalid filter pattern");
  return (line) => fields.some(([, field = "", value]) => Object(tryJson(line))[field] === value);
}

/** A line in a log group. */
export interface LogEvent {
  readonly id: string;
  readonly at: Instant;
  readonly message: string;
}

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
    const event = { id, at: instant(Math.floor(at)), message };
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
 * The number of lines that one call searches: a page may be empty although later ones are not.
 * @see https://docs.aws.amazon.com/AmazonCloudWatchLogs/latest/APIReference/API_FilterLogEvents.html
 */
const searchedAtOnce = 100;

function filterLogEvents(
  groups: LogGroups,
  { logGroupName = "", startTime = 0, endTime, filterPattern, nextToken }: FilterLogEventsRequest,
) {
  const takes = takenBy(filterPattern ?? "");
  const until = endTime ?? Number.POSITIVE_INFINITY;
  const inTime = groups.find(logGroupName).filter(({ at }) => at >= startTime && at <= until);
  const { items, next } = page(inTime, { size: searchedAtOnce, token: nextToken });
  return { events: items.filter(({ message }) => takes(message)).map(wireEvent), nextToken: next };
}

const wireEvent = ({ id, at, message }: LogEvent) => ({
  eventId: id,
  logStreamName: "2026/03/23/[$LATEST]4f2a",
  timestamp: at,
  ingestionTime: at,
  message,
});

/** The operations of CloudWatch Logs that the sandbox supports. */
export const logsOperations = (groups: LogGroups): readonly Operation[] => [
  operation<FilterLogEventsRequest>(
    "logs",
    FilterLogEvents$,
    (input) => filterLogEvents(groups, input),
    ({ logGroupName = "" }) => groups.arnOf(logGroupName),
  ),
];
