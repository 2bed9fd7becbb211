/** Parts things, in their order, so that each part has at most so many. */
export const partsOf = <T>(all: readonly T[], most: number): readonly T[][] =>
  Array.from({ length: Math.ceil(all.length / most) }, (_, index) =>
    all.slice(index * most, (index + 1) * most),
  );
