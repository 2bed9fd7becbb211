import type { Entry } from "../domain/entry.ts";

/** Where everything that happens is told. */
export interface Journal {
  record(entry: Entry): void;
}
