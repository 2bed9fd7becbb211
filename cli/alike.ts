/** Puts together what people are told in the same words, in the order of the first of each. */
export const alike = <T>(
  all: readonly T[],
  told: (one: T) => string,
): readonly (readonly [told: string, all: readonly T[]])[] => [...Map.groupBy(all, told)];
