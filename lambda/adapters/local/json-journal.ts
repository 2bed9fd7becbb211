import { legible } from "../../domain/legible.ts";
import { timestamp } from "../../domain/time.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Journal } from "../../ports/journal.ts";

/** Writes every entry as one line of JSON, which CloudWatch Logs and the command line read. */
export const jsonJournal = (clock: Pick<Clock, "now">, write: (line: string) => void): Journal => ({
  record: (entry) =>
    write(`${legible(JSON.stringify({ at: timestamp(clock.now()), ...entry }))}\n`),
});
