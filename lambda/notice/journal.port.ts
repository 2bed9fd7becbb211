import type { AnyEntry } from "./entry.ts";
import type { Subject } from "./subject.ts";

/** Records what happens. A journal for all entries fits where one for those of a subject is needed. */
export interface Journal<E extends AnyEntry = AnyEntry> {
  /** Records an entry; whoever knows what it is about says so with the entry. */
  readonly record: (entry: E & Subject) => void;
}
