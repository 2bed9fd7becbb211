import type { Entry } from "../domain/entry.ts";
import type { Subject } from "../domain/notice/subject.ts";

/** Records everything that happens; whoever knows what it is about says so with the entry. */
export interface Journal {
  record(entry: Entry & Subject): void;
}
