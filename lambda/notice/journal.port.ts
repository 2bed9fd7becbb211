import type { AnyEntry } from "./entry.ts";
import type { Subject } from "./subject.ts";

/** Records what happens. A journal for all entries fits where one for those of a subject is needed. */
export interface Journal<E extends AnyEntry = AnyEntry> {
  /** Records an entry; its writer adds the subject where it is known. */
  readonly record: (entry: E & Subject) => void;
}
