/** A number of things, in words. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${count} ${count === 1 ? one : many}`;

/** Names some of many: the first ones, and how many more there are. */
export function someOf(names: readonly string[], most = 5): string {
  const more = names.length - most;
  return [...names.slice(0, most), ...(more > 0 ? [`${more} more`] : [])].join(", ");
}
