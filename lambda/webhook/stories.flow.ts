import type { Clock } from "../base/clock.port.ts";
import type { InstanceId } from "../base/ids.ts";
import { hours, instant } from "../base/time.ts";
import type { Journal } from "../registrations/journal.port.ts";
import { newsOf, type Told } from "./drain-news.ts";
import type { News, OfInstance } from "./news.ts";
import { textOf, textsOf } from "./told-news.flow.ts";
import type { JournalSearch } from "./webhook.port.ts";

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

// A drain writes lines at least every half hour: it rests for a quarter of a hook's timeout at most, which is two hours at most.
const stretch = hours(1);
const mostStretches = 49;

/**
 * The news of the drains of some entries, drain by drain. The journal is searched for all of them together. The search goes back in time until the journal is silent about an
 * instance, or it is clear that none of its entries is news.
 */
export async function storiesOf(
  own: readonly OfInstance[],
  { search, clock, read }: NewsTools,
): Promise<readonly (readonly Told[])[]> {
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
  return [...stories.keys()].map(newsBy);
}

/** Whether earlier entries may change which of these are news. */
const isOpen = (told: readonly Told[], own: ReadonlySet<string>): boolean =>
  told.length === 0 || told.some(({ by }) => own.has(textOf(by)));

/** Entries in the order of their time, each once. */
const inOrder = (entries: readonly OfInstance[]): readonly OfInstance[] =>
  [...new Map(entries.map((entry) => [textOf(entry), entry])).values()].sort(
    (one, other) => one.at - other.at,
  );
