import type { Entry } from "../domain/entry.ts";

/** Records everything that happens. */
export interface Journal {
  record(entry: Entry): void;
}
