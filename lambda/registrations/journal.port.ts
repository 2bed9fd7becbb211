import type { Subject } from "../notice/subject.ts";
import type { Entry } from "./entry.ts";

/** Records everything that happens; whoever knows what it is about says so with the entry. */
export interface Journal {
  record(entry: Entry & Subject): void;
}
