/**
 * Does some work for each item, a limited number at a time: as soon as one is done, the next begins. Returns the results in
 * the order of the items. After a failure nothing more begins.
 */
export async function sideBySide<T, R>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  const line = inLine(items);
  const oneByOne = async (): Promise<void> => {
    // A loop that fails closes the line for all.
    for (const [place, item] of line) results[place] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, oneByOne));
  return results;
}

// Unlike an array's own iterator, this one can be closed.
function* inLine<T>(items: readonly T[]): Generator<readonly [number, T]> {
  yield* items.entries();
}
