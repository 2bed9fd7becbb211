import type { Entry } from "../registrations/entry.ts";
import type { Subject } from "./subject.ts";

/** Records everything that happens; whoever knows what it is about says so with the entry. */
export interface Journal {
  record(entry: Entry & Subject): void;
}
