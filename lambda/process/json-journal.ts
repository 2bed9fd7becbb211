import type { Clock } from "../base/clock.port.ts";
import { timestamp } from "../base/time.ts";
import type { Journal } from "../notice/journal.port.ts";
import { boundedLine } from "./bounded-line.ts";

/** Writes every entry as one line of JSON, which CloudWatch Logs and the command line read. No line is longer than 1,500 bytes. */
export const jsonJournal = (clock: Pick<Clock, "now">, write: (line: string) => void): Journal => ({
  record: (entry) => write(boundedLine({ at: timestamp(clock.now()), ...entry })),
});
