import { faultEntry } from "../notice/fault-entry.flow.ts";
import type { Journal } from "../registrations/journal.port.ts";
import { type NewsLine, tryReadJournalLine } from "./journal-line.ts";

/** What telling news needs. */
export interface NewsTools {
  readonly journal: Journal;
  /** Delivers news, or throws. */
  deliver(news: NewsLine): Promise<void>;
}

/** Delivers the news in lines of the journal. Logs and Lambda may bring a line twice, so this process remembers which it has delivered. */
export class NewsDelivery {
  readonly #tools: NewsTools;
  readonly #delivered = new Set<string>();

  constructor(tools: NewsTools) {
    this.#tools = tools;
  }

  /** Delivers the news in these lines; throws the last failure once it has tried them all. */
  async deliver(lines: readonly string[]): Promise<void> {
    const failures: unknown[] = [];
    for (const line of lines.filter((one) => !this.#delivered.has(one))) {
      const news = tryReadJournalLine(line);
      if (news === undefined) continue;
      try {
        await this.#tools.deliver(news);
        this.#delivered.add(line);
      } catch (cause) {
        this.#tools.journal.record({ ...faultEntry(cause), ...news.about });
        failures.push(cause);
      }
    }
    if (failures.length > 0) throw failures.at(-1);
  }
}
