import { type Instant, instant } from "../../../lambda/base/time.ts";
import type { Timeline } from "../../timeline.ts";
import { type Account, arnOf } from "../account.ts";
import { AwsError } from "../aws-error.ts";

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
