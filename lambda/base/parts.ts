/** Splits items into parts of a limited size, in their order. */
export const partsOf = <T>(all: readonly T[], most: number): readonly T[][] =>
  Array.from({ length: Math.ceil(all.length / most) }, (_, index) =>
    all.slice(index * most, (index + 1) * most),
  );
