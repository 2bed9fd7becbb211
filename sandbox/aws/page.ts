/** One page of a longer answer. */
export interface Page<Item> {
  readonly items: readonly Item[];
  readonly next: string | undefined;
}

const tokenOf = (offset: number): string => Buffer.from(`from ${offset}`).toString("base64url");

const offsetOf = (token: string | undefined): number => {
  const text = Buffer.from(token ?? "", "base64url").toString();
  return Number(/^from (\d+)$/.exec(text)?.[1] ?? 0);
};

/** Cuts one page out of an answer. */
export function page<Item>(
  all: readonly Item[],
  {
    size,
    token,
  }: {
    readonly size: number;
    /** Where the previous page ended; undefined for the first page. */
    readonly token: string | undefined;
  },
): Page<Item> {
  const from = offsetOf(token);
  const to = from + size;
  return { items: all.slice(from, to), next: to < all.length ? tokenOf(to) : undefined };
}
