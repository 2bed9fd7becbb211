import { Fault } from "../base/fault.ts";
import { type Collection, type CollectionPage, pagesOf } from "./collection.ts";
import type { KubeClient, KubeConnection } from "./kube-connection.ts";
import type { WatchQuery } from "./kube-watch.ts";
import { Portions } from "./portions.ts";

/** The objects that a list selects, and the listener that hears which owner has too much. */
interface Limits<T> {
  query(): WatchQuery;
  /** Hears of an item of an owner whose items are left out from now on, by the next query if it can name so many. */
  leaveOut(item: T): void;
  isLeftOut(item: T): boolean;
}

/** The items of a list, how much each owner has in it, and its version. */
interface Listed<T> extends Omit<CollectionPage<T>, "next"> {
  readonly portions: Portions<T> | undefined;
}

/** Lists all but the items of owners who have too much, which is found out on the way. */
export async function listWithin<T>(
  collection: Collection<T>,
  connection: KubeConnection,
  limits: Limits<T>,
): Promise<Listed<T>> {
  for (;;) {
    const listed = await tryList(collection, connection, limits);
    if (listed !== undefined) return listed;
  }
}

/** `undefined` once an owner has too much whom the next query leaves out. */
async function tryList<T>(
  collection: Collection<T>,
  connection: KubeConnection,
  limits: Limits<T>,
): Promise<Listed<T> | undefined> {
  const portions = portionsOf(collection);
  const query = limits.query();
  let items: T[] = [];
  let resourceVersion = "";
  for await (const page of pagesOf(collection, connection, query)) {
    const its = page.items.filter((item) => !limits.isLeftOut(item));
    const large = its.filter((item) => portions?.keep(collection.uid(item), item) === "too much");
    for (const item of large) limits.leaveOut(item);
    if (selectorIn(limits.query()) !== selectorIn(query)) return undefined;
    items.push(...its);
    if (large.length > 0) items = items.filter((item) => !limits.isLeftOut(item));
    resourceVersion = page.resourceVersion;
  }
  return { items, resourceVersion, portions };
}

const selectorIn = ({ fieldSelector = "" }: WatchQuery) => fieldSelector;

export const portionsOf = <T>({ portion }: Collection<T>): Portions<T> | undefined =>
  portion === undefined ? undefined : new Portions(portion);

/** Selects what is not left out; throws where that is nothing. */
export function queryWithout<T>(
  { query, title, portion }: Collection<T>,
  leftOut: ReadonlySet<string>,
): WatchQuery {
  if (portion === undefined || leftOut.size === 0) return query;
  const fieldSelector = portion.without([...leftOut]);
  if (fieldSelector !== "nothing") return { ...query, fieldSelector };
  throw new Fault("cluster.refused", `listing ${title}: they are too many or too large`);
}

/** The part that was read of a list that others write. */
export interface ReadWithin<T> {
  readonly items: readonly T[];
  /** The owners whose items are too many, or too large, and were not read. */
  readonly leftOut: readonly string[];
}

/** Reads a collection once, without the items of owners who have too much. */
export function readWithin<T>(
  client: KubeClient,
  collection: Collection<T>,
): Promise<ReadWithin<T>> {
  const leftOut = new Set<string>();
  const limits: Limits<T> = {
    query: () => queryWithout(collection, leftOut),
    leaveOut: (item) => void leftOut.add(collection.portion?.of(item) ?? ""),
    isLeftOut: (item) => leftOut.has(collection.portion?.of(item) ?? ""),
  };
  return client.ask(`listing ${collection.title}`, async (connection) => {
    const { items } = await listWithin(collection, connection, limits);
    return { items, leftOut: [...leftOut] };
  });
}
