import type { Clock } from "../base/clock.port.ts";
import { legible } from "../base/legible.ts";
import { timestamp } from "../base/time.ts";
import type { Journal } from "../registrations/process.port.ts";

/** Writes every entry as one line of JSON, which CloudWatch Logs and the command line read. */
export const jsonJournal = (clock: Pick<Clock, "now">, write: (line: string) => void): Journal => ({
  record: (entry) =>
    write(`${legible(JSON.stringify({ at: timestamp(clock.now()), ...entry }))}\n`),
});
