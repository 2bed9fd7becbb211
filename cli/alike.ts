/** Groups items whose key is the same, in the order in which each key first comes. */
export const alike = <T>(
  all: readonly T[],
  textOf: (one: T) => string,
): readonly (readonly [text: string, all: readonly T[]])[] => [...Map.groupBy(all, textOf)];
