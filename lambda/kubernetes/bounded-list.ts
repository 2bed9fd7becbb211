import type { Clock } from "../base/clock.port.ts";
import { later, seconds } from "../base/time.ts";
import { LongAnswer, megabyte } from "../http/long-answer.ts";
import { ConnectionError } from "../http/lost-connection.ts";
import type { Semaphore } from "../http/semaphore.ts";
import { type AsSent, itemsIn, type PageSent } from "./as-sent.ts";
import { fittingPage } from "./fitting-page.ts";
import type { KubeClient, KubeConnection } from "./kube-connection.ts";
import { pathWith, type WatchQuery } from "./kube-watch.ts";
import { sendRequest } from "./send-request.ts";

/** The time limit of one answer: others may have made it large. */
export const longestAnswer = seconds(5);
const longestList = seconds(5);
// One page has as much at the most, and a list in all.
const usualPage = 4 * megabyte;
const usualBytes = 16 * megabyte;

/** A list of what others may write without end, and what is kept of it. */
export interface BoundedList<S, T> {
  readonly path: string;
  readonly query?: WatchQuery;
  readonly accept?: string;
  /** The most objects that are read, and the most in a page. */
  readonly most: number;
  readonly pageSize: number;
  /** The most bytes of a page. @default 4 MB */
  readonly mostOfPage?: number;
  /** The most bytes that are read. @default 16 MB */
  readonly mostBytes?: number;
  itemsOf(sent: AsSent<S>): readonly T[];
  /** Whether those that were read are enough. @default never */
  isEnough?(items: readonly T[]): boolean;
}

/** The read part of a list. */
export interface PartOfList<T> {
  readonly items: readonly T[];
  /** Why there may be more; empty if this is all. */
  readonly cut: string;
}

/** The tools for reading lists: few pages are in memory at the same time. */
export interface ListTools {
  readonly client: KubeClient;
  readonly clock: Pick<Clock, "now">;
  readonly gate: Semaphore;
}

/** Reads a list in pages: no more objects, bytes and seconds than its bounds say. */
export async function partOf<S, T>(
  list: BoundedList<S, T>,
  { client, clock, gate }: ListTools,
): Promise<PartOfList<T>> {
  const ends = later(clock.now(), longestList);
  const items: T[] = [];
  const read = { objects: 0, bytes: 0 };
  let from: From = { next: "", size: list.pageSize };
  for (;;) {
    const page = await gate.run(() => pageOf(list, from, client));
    if (typeof page === "string") return { items, cut: page };
    items.push(...page.sent.flatMap((one) => list.itemsOf(one)));
    read.objects += page.sent.length;
    read.bytes += page.bytes;
    from = page.following;
    const cut =
      from.next === "" ? "" : cutAfter({ ...read, items, late: clock.now() >= ends }, list);
    if (from.next === "" || cut !== "") return { items, cut };
  }
}

interface From {
  readonly next: string;
  readonly size: number;
}

/** Why a list is read no further; empty if it is. */
function cutAfter<S, T>(
  {
    items,
    objects,
    bytes,
    late,
  }: {
    readonly items: readonly T[];
    readonly objects: number;
    readonly bytes: number;
    readonly late: boolean;
  },
  { most, mostBytes = usualBytes, isEnough = () => false }: BoundedList<S, T>,
): string {
  if (isEnough(items)) return "those that were read are enough";
  if (objects >= most) return `there are more than ${most}`;
  if (bytes >= mostBytes) return tooLarge(mostBytes);
  return late ? tooSlow : "";
}

const tooLarge = (most: number): string => `they have more than ${most / megabyte} MB`;
const tooSlow = `to read them takes more than ${longestAnswer / 1000} s`;

/** Reads a page, or says why it cannot be read for what others have written. */
function pageOf<S, T>(list: BoundedList<S, T>, from: From, client: KubeClient) {
  const { path, mostOfPage = usualPage } = list;
  return client.ask(`listing ${path}`, (connection) =>
    sentPage(list, from, connection).catch((cause: unknown): string => {
      if (cause instanceof LongAnswer) return tooLarge(mostOfPage);
      if (cause instanceof ConnectionError && cause.reason === "timeout") return tooSlow;
      throw cause;
    }),
  );
}

async function sentPage<S, T>(
  { path, query = {}, pageSize, mostOfPage = usualPage, accept }: BoundedList<S, T>,
  { next, size }: From,
  connection: KubeConnection,
) {
  const asked = { ...query, continue: next === "" ? undefined : next };
  const read = async (limit: number, most: number): Promise<string> => {
    const at = { method: "GET", path: pathWith(path, { ...asked, limit }) } as const;
    const request = accept === undefined ? at : { ...at, accept };
    return (await sendRequest(connection, request, { most, limit: longestAnswer })).body;
  };
  const { sent: body, fitting } = await fittingPage(size, read, mostOfPage);
  const page: PageSent<S> = Object(JSON.parse(body));
  const following = { next: page.metadata?.continue ?? "", size: Math.min(pageSize, 2 * fitting) };
  return { sent: itemsIn(path, page), bytes: body.length, following };
}
