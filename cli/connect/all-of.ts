/** The items of all pages of a list. */
export async function allOf<Page, T>(
  pages: AsyncIterable<Page>,
  itemsOf: (page: Page) => readonly T[] | undefined,
): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const page of pages) all.push(...(itemsOf(page) ?? []));
  return all;
}
