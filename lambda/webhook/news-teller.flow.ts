import { Bell } from "../base/bell.ts";
import { type Duration, earliest, later, latest, milliseconds, seconds } from "../base/time.ts";
import { faultEntry } from "../notice/fault-entry.flow.ts";
import { brief, isHold, type Told } from "./drain-news.ts";
import type { OfInstance } from "./news.ts";
import { type NewsTools, storiesOf } from "./stories.flow.ts";
import { ToldNews, textOf, textsOf } from "./told-news.flow.ts";

// A search finds a line some seconds after it was written.
const settling = seconds(5);

/**
 * Tells the news in lines of the journal. What was news before is found in the journal itself, so that no store is needed.
 * This process also remembers what it has told, because Logs and Lambda may bring a line twice.
 */
export class NewsTeller {
  readonly #tools: NewsTools;
  readonly #told = new ToldNews();

  constructor(tools: NewsTools) {
    this.#tools = tools;
  }

  /** Tells the news in these lines; throws the last failure once it has tried them all. */
  async tell(lines: readonly string[]): Promise<void> {
    const entries = lines.flatMap((line) => this.#tools.read(line) ?? []);
    const isOther = (entry: OfInstance) => !isHold(entry);
    const failures = [
      ...(await this.#tellSome(entries.filter(isOther), settling)),
      ...(await this.#tellSome(entries.filter(isHold), milliseconds(settling + brief))),
    ];
    if (failures.length > 0) throw failures.at(-1);
  }

  /** Tells the news by some entries once they are that old, and returns the failures. */
  async #tellSome(entries: readonly OfInstance[], age: Duration): Promise<readonly unknown[]> {
    const { clock, journal } = this.#tools;
    const own = entries.filter((entry) => !this.#told.isOld(entry));
    const [first, ...others] = own.map(({ at }) => at);
    if (first === undefined) return [];
    try {
      const old = later(latest(first, ...others), age);
      await clock.sleep(earliest(old, later(clock.now(), age)), new Bell());
      const stories = await storiesOf(own, this.#tools);
      const failures: unknown[] = [];
      for (const story of stories) failures.push(...(await this.#tellNews(story, textsOf(own))));
      return failures;
    } catch (cause) {
      journal.record(faultEntry(cause));
      return [cause];
    }
  }

  async #tellNews(told: readonly Told[], own: ReadonlySet<string>): Promise<unknown[]> {
    const { journal, deliver } = this.#tools;
    for (const { news, by } of told) {
      this.#told.learn(by, news.kind);
      // What is news by another line is told when that line comes.
      if (!own.has(textOf(by)) || this.#told.has(by)) continue;
      try {
        await deliver(news);
        this.#told.add(by);
      } catch (cause) {
        const { instance, group, token } = by;
        const about = { instance, ...(group && { group }), ...(token && { token }) };
        journal.record({ ...faultEntry(cause), ...about });
        return [cause];
      }
    }
    return [];
  }
}
