import type { Dated } from "../../domain/entry.ts";
import type { InstanceId } from "../../domain/ids.ts";
import { newsOf } from "../../domain/news/drain-news.ts";
import type { News } from "../../domain/news/news.ts";
import { earliest, hours, instant, later, latest, seconds } from "../../domain/time.ts";
import { Bell } from "../../ports/bell.ts";
import type { Clock } from "../../ports/clock.ts";
import type { Journal } from "../../ports/journal.ts";
import type { JournalSearch } from "../../ports/webhook.ts";
import { faultEntry } from "../fault-entry.ts";
import { ToldNews, textOf } from "./told-news.ts";

type OfInstance = Dated & { readonly instance: InstanceId };
type Some = readonly [OfInstance, ...OfInstance[]];

/** What telling news needs. */
export interface NewsTools {
  readonly search: JournalSearch;
  readonly clock: Clock;
  readonly journal: Journal;
  /** Reads a line of the journal; `undefined` if news have no use for it. */
  read(line: string): OfInstance | undefined;
  /** Delivers news, or throws. */
  deliver(news: News): Promise<void>;
}

// A search finds a line some seconds after it was written.
const settling = seconds(5);
// A drain writes lines at least every half hour: it rests for a quarter of a hook's timeout at most, which is two hours at most.
const stretch = hours(1);
const mostStretches = 49;

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

  /** Tells the news of every instance in these lines; throws the last failure once it has tried them all. */
  async tell(lines: readonly string[]): Promise<void> {
    const entries = lines.flatMap((line) => this.#tools.read(line) ?? []);
    const failures: unknown[] = [];
    for (const own of Map.groupBy(entries, ({ instance }) => instance).values()) {
      const [first, ...others] = own;
      if (first === undefined || own.every((entry) => this.#told.isOld(entry))) continue;
      await this.#tellOne([first, ...others], failures);
    }
    if (failures.length > 0) throw failures.at(-1);
  }

  async #tellOne(own: Some, failures: unknown[]): Promise<void> {
    const [{ instance, group, token }] = own;
    try {
      await this.#tellNews(own);
    } catch (cause) {
      const about = { instance, ...(group && { group }), ...(token && { token }) };
      this.#tools.journal.record({ ...faultEntry(cause), ...about });
      failures.push(cause);
    }
  }

  async #tellNews(own: Some): Promise<void> {
    const [{ instance }] = own;
    const texts = new Set(own.map(textOf));
    for (const { news, by } of newsOf(instance, await this.#storyWith(own))) {
      this.#told.learn(by, news.kind);
      // What is news by another line is told when that line comes.
      if (!texts.has(textOf(by)) || this.#told.has(by)) continue;
      await this.#tools.deliver(news);
      this.#told.add(by);
    }
  }

  /** All that the journal has of the drain, these entries included. */
  async #storyWith(own: Some): Promise<readonly OfInstance[]> {
    const { clock } = this.#tools;
    const [{ at: first }, ...others] = own;
    const settled = later(latest(first, ...others.map(({ at }) => at)), settling);
    await clock.sleep(earliest(settled, later(clock.now(), settling)), new Bell());
    const all = [...(await this.#earlier(own[0].instance)), ...own];
    const once = new Map(all.map((entry) => [textOf(entry), entry]));
    return [...once.values()].sort((one, other) => one.at - other.at);
  }

  /** Goes back in time until the journal is silent about the instance. */
  async #earlier(instance: InstanceId): Promise<readonly OfInstance[]> {
    const { clock, search, read } = this.#tools;
    let to = clock.now();
    let found: readonly OfInstance[] = [];
    for (let count = 0; count < mostStretches; count += 1) {
      const from = instant(to - stretch);
      const lines = await search.linesOf(instance, { from, to });
      if (lines.length === 0) break;
      const entries = lines.flatMap((line) => read(line) ?? []);
      found = [...entries.filter((entry) => entry.instance === instance), ...found];
      to = from;
    }
    return found;
  }
}
