import { faultOf } from "../base/fault.ts";
import type { Journal } from "../notice/journal.port.ts";
import type { PassEntry } from "../notice/pass-entry.ts";
import { jsonJournal } from "./json-journal.ts";
import { systemClock } from "./system-clock.ts";

/**
 * Reads the configuration with which a function starts. A fault is a line of the journal too: the one that Lambda adds, an
 * error of the start, is no entry, and no filter of the journal finds it.
 */
export function startedWith<T>(read: () => T): T {
  try {
    return read();
  } catch (cause) {
    const { code, message, retryable } = faultOf(cause);
    const write = (line: string) => process.stdout.write(line);
    const journal: Journal<PassEntry> = jsonJournal(systemClock, write);
    journal.record({ kind: "fault", code, message, retryable });
    throw cause;
  }
}
