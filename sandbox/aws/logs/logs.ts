import { randomUUID } from "node:crypto";
import type { Instant } from "../../../lambda/domain/time.ts";
import type { Timeline } from "../../timeline.ts";
import { type Account, arnOf } from "../account.ts";
import { AwsError } from "../aws-error.ts";

/** A line of a log. */
export interface LogEvent {
  readonly id: string;
  readonly at: Instant;
  readonly message: string;
}

/** The log groups of an account. */
export class Logs {
  readonly #timeline: Timeline;
  readonly #account: Account;
  readonly #groups = new Map<string, LogEvent[]>();

  constructor(timeline: Timeline, account: Account) {
    this.#timeline = timeline;
    this.#account = account;
  }

  createGroup(name: string): void {
    this.#groups.set(name, this.#groups.get(name) ?? []);
  }

  /** Adds a line to a group. */
  write(group: string, message: string): void {
    this.events(group).push({ id: randomUUID(), at: this.#timeline.now(), message });
  }

  events(group: string): LogEvent[] {
    const events = this.#groups.get(group);
    if (events !== undefined) return events;
    throw new AwsError("ResourceNotFoundException", "The specified log group does not exist.");
  }

  arnOf(group: string): string {
    return arnOf(this.#account, "logs", `log-group:${group}:*`);
  }
}
