const atOnce = 10;

/** Does the same with many things, with ten of them at a time. */
export async function inTurns<T, R>(
  all: readonly T[],
  work: (one: T) => Promise<R>,
): Promise<readonly R[]> {
  const done: R[] = [];
  for (let next = 0; next < all.length; next += atOnce)
    done.push(...(await Promise.all(all.slice(next, next + atOnce).map(work))));
  return done;
}
