import { type Instant, instant } from "../../../lambda/domain/time.ts";
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

/** The log groups of an account, each with its lines in the order in which they came. */
export class LogGroups {
  readonly #timeline: Timeline;
  readonly #account: Account;
  readonly #groups = new Map<string, LogEvent[]>();

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
    events.push({ id, stream: "2026/03/23/[$LATEST]4f2a", at: instant(Math.floor(at)), message });
    this.#groups.set(group, events);
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
