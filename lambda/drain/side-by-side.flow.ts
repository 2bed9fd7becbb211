/** Works on all items, on so many at once at most: as soon as one is done, the next begins. */
export async function sideBySide<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const line = items.values();
  const oneByOne = async (): Promise<void> => {
    for (const item of line) await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnce, items.length) }, oneByOne));
}
