import type { InstanceId } from "../../domain/ids.ts";
import { newsOf, type Told } from "../../domain/news/drain-news.ts";
import type { OfInstance } from "../../domain/news/news.ts";
import { hours, instant } from "../../domain/time.ts";
import type { Clock } from "../../ports/clock.ts";
import type { JournalSearch } from "../../ports/webhook.ts";
import { textOf, textsOf } from "./told-news.ts";

/** What a search of the journal needs. */
export interface SearchTools {
  readonly search: JournalSearch;
  readonly clock: Pick<Clock, "now">;
  /** Reads a line of the journal; `undefined` if news have no use for it. */
  read(line: string): OfInstance | undefined;
}

/** The news of an instance, as far as the journal has been read. */
export interface DrainNews {
  readonly instance: InstanceId;
  readonly told: readonly Told[];
}

// A drain writes lines at least every half hour: it rests for a quarter of a hook's timeout at most, which is two hours at most.
const stretch = hours(1);
const mostStretches = 49;

/**
 * Searches the journal for all instances of some entries together. It goes back in time until the journal is silent about an
 * instance, or it is clear that none of its entries is news.
 */
export async function storiesOf(
  own: readonly OfInstance[],
  { search, clock, read }: SearchTools,
): Promise<readonly DrainNews[]> {
  const stories = Map.groupBy(own, ({ instance }) => instance);
  const newsBy = (id: InstanceId) => newsOf(id, inOrder(stories.get(id) ?? []));
  let open = [...stories.keys()];
  let to = clock.now();
  for (let count = 0; count < mostStretches && open.length > 0; count += 1) {
    const from = instant(to - stretch);
    const lines = await search.linesOf(open, { from, to });
    const found = lines.flatMap((line) => read(line) ?? []);
    // In front, because what was written in the same millisecond has its order here.
    for (const [id, entries] of Map.groupBy(found, ({ instance }) => instance))
      stories.get(id)?.unshift(...entries);
    open = open.filter(
      (id) => lines.some((line) => line.includes(id)) && isOpen(newsBy(id), textsOf(own)),
    );
    to = from;
  }
  return [...stories.keys()].map((instance) => ({ instance, told: newsBy(instance) }));
}

/** Whether earlier entries may change which of these are news. */
const isOpen = (told: readonly Told[], own: ReadonlySet<string>): boolean =>
  told.length === 0 || told.some(({ by }) => own.has(textOf(by)));

/** Entries in the order of their time, each once. */
const inOrder = (entries: readonly OfInstance[]): readonly OfInstance[] =>
  [...new Map(entries.map((entry) => [textOf(entry), entry])).values()].sort(
    (one, other) => one.at - other.at,
  );
