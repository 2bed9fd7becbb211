import type { Dated } from "../registrations/entry.ts";
import { isHold } from "./drain-news.ts";
import type { News } from "./news.ts";

/** What a process has told, and which entry was the last to be the first of its kind in a drain of an instance. */
export class ToldNews {
  readonly #told = new Set<string>();
  readonly #first = new Map<string, Dated>();

  /** Whether this process has told an entry. */
  has(entry: Dated): boolean {
    return this.#told.has(textOf(entry));
  }

  /** Whether nobody has to search the journal for an entry, because it cannot be news: each pass writes such entries. */
  isOld(entry: Dated): boolean {
    const first = this.#first.get(keyOf(entry, kindOf(entry)));
    const isFirst = first === undefined || textOf(first) === textOf(entry);
    return this.has(entry) || (!isFirst && first.token === entry.token);
  }

  /** Remembers that an entry is told. */
  add(entry: Dated): void {
    this.#told.add(textOf(entry));
  }

  /** Remembers which entry is news, whoever tells it. After the end of a drain, its instance may have another one. */
  learn(entry: Dated, kind: News["kind"]): void {
    if (kind !== "end") this.#first.set(keyOf(entry, kind), entry);
    else for (const one of ["start", "block"] as const) this.#first.delete(keyOf(entry, one));
  }
}

/** An entry as a text that no other entry has. */
export const textOf = (entry: Dated): string => JSON.stringify(entry);

/** Such texts of some entries. */
export const textsOf = (entries: readonly Dated[]): ReadonlySet<string> =>
  new Set(entries.map(textOf));

const keyOf = ({ instance }: Dated, kind: News["kind"]): string => `${instance} ${kind}`;

const kindOf = (entry: Dated): News["kind"] =>
  entry.kind === "notice-done" ? "end" : isHold(entry) ? "block" : "start";
