import type { KubeClient, KubeConnection } from "./kube-connection.ts";
import type { WatchQuery } from "./kube-watch.ts";
import type { Portion } from "./portions.ts";

export interface CollectionPage<T> {
  readonly items: readonly T[];
  readonly resourceVersion: string;
  /** Asks for the next page; empty on the last. */
  readonly next: string;
  /** The size of the next page, if others have made the objects of this one large. */
  readonly size?: number;
}

/** A collection of the Kubernetes API that can be listed and watched. */
export interface Collection<T> {
  /** Its title, for people: `pods of node …`. */
  readonly title: string;
  /** Its path, such as `/api/v1/pods`. */
  readonly path: string;
  readonly query: WatchQuery;
  /** The way to its first state: a list, or the watch's own stream if the server can send one. */
  readonly start: "listed" | "streamed";
  /** The portion of each owner where it is followed. @default any amount */
  readonly portion?: Portion<T>;
  /** Reads a page; the query says more than the collection's own. */
  page(
    connection: KubeConnection,
    next: string,
    size?: number,
    query?: WatchQuery,
  ): Promise<CollectionPage<T>>;
  /** Reads an object of a watch event. */
  read(object: unknown): T;
  /** The identity of an item. */
  uid(item: T): string;
}

/** Tells collections apart: two collections of the same path may select different objects. */
export function keyOf({ path, query }: Pick<Collection<unknown>, "path" | "query">): string {
  const { fieldSelector = "" } = query;
  return `${path}?${fieldSelector}`;
}

type Paged<T> = Pick<Collection<T>, "page">;

/** Lists a collection page by page, and reads the next page only when it is wanted. */
export async function* pagesOf<T>(
  collection: Paged<T>,
  connection: KubeConnection,
  query: WatchQuery = {},
): AsyncGenerator<CollectionPage<T>> {
  let page = await collection.page(connection, "", undefined, query);
  yield page;
  while (page.next !== "") {
    page = await collection.page(connection, page.next, page.size, query);
    yield page;
  }
}

export async function listAll<T>(
  collection: Paged<T>,
  connection: KubeConnection,
): Promise<Omit<CollectionPage<T>, "next">> {
  const items: T[] = [];
  let resourceVersion = "";
  for await (const page of pagesOf(collection, connection)) {
    items.push(...page.items);
    resourceVersion = page.resourceVersion;
  }
  return { items, resourceVersion };
}

/** All items of a collection, if its version is not needed. */
export const listed = <T>(client: KubeClient, collection: Collection<T>): Promise<readonly T[]> =>
  client.ask(`listing ${collection.title}`, async (connection) => {
    const { items } = await listAll(collection, connection);
    return items;
  });

/** Looks for an item, and reads no further than it must. */
export async function findIn<T>(
  collection: Paged<T>,
  connection: KubeConnection,
  isWanted: (item: T) => boolean,
): Promise<T | "absent"> {
  for await (const page of pagesOf(collection, connection)) {
    const found = page.items.find(isWanted);
    if (found !== undefined) return found;
  }
  return "absent";
}
