import type { Dated } from "../../domain/entry.ts";
import type { News } from "../../domain/news/news.ts";

const most = 10_000;

/** The news that a process has told, or has found told before. */
export class ToldNews {
  readonly #entries = new Set<string>();
  readonly #open = new Set<string>();

  /** Whether an entry has been told as news. */
  has(entry: Dated): boolean {
    return this.#entries.has(JSON.stringify(entry));
  }

  /** Whether an entry cannot be news, so that nobody has to search the journal: each pass writes such entries. */
  isOld(entry: Dated): boolean {
    return this.has(entry) || this.#open.has(keyOf(entry, kindOf(entry)));
  }

  /** Remembers what an entry was told as; after the end of a drain, its instance may have another one. */
  add(entry: Dated, kind: News["kind"]): void {
    if (this.#entries.size >= most) this.#entries.clear();
    if (this.#open.size >= most) this.#open.clear();
    this.#entries.add(JSON.stringify(entry));
    if (kind !== "end") this.#open.add(keyOf(entry, kind));
    else for (const one of ["start", "block"] as const) this.#open.delete(keyOf(entry, one));
  }
}

const keyOf = ({ instance, token }: Dated, kind: News["kind"]): string =>
  [instance, token, kind].join("\n");

function kindOf({ kind }: Dated): News["kind"] {
  if (kind === "notice-done") return "end";
  return kind === "pods-seen" ? "start" : "block";
}
