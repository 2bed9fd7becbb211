import type { Dated } from "../../domain/entry.ts";
import type { News } from "../../domain/news/news.ts";

const most = 10_000;

/** What a process has told, and which entry was the first of its kind in a drain. */
export class ToldNews {
  readonly #told = new Set<string>();
  readonly #first = new Map<string, string>();

  /** Whether this process has told an entry. */
  has(entry: Dated): boolean {
    return this.#told.has(textOf(entry));
  }

  /** Whether nobody has to search the journal for an entry, because it cannot be news: each pass writes such entries. */
  isOld(entry: Dated): boolean {
    const first = this.#first.get(keyOf(entry, kindOf(entry)));
    return this.has(entry) || (first !== undefined && first !== textOf(entry));
  }

  /** Remembers that an entry is told. */
  add(entry: Dated): void {
    if (this.#told.size >= most) this.#told.clear();
    this.#told.add(textOf(entry));
  }

  /** Remembers which entry is news, whoever tells it. After the end of a drain, its instance may have another one. */
  learn(entry: Dated, kind: News["kind"]): void {
    if (this.#first.size >= most) this.#first.clear();
    if (kind !== "end") this.#first.set(keyOf(entry, kind), textOf(entry));
    else for (const one of ["start", "block"] as const) this.#first.delete(keyOf(entry, one));
  }
}

/** An entry as a text that no other entry has. */
export const textOf = (entry: Dated): string => JSON.stringify(entry);

const keyOf = ({ instance, token }: Dated, kind: News["kind"]): string =>
  [instance, token, kind].join("\n");

function kindOf({ kind }: Dated): News["kind"] {
  if (kind === "notice-done") return "end";
  return kind === "pods-seen" ? "start" : "block";
}
