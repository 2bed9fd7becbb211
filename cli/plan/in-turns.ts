import { partsOf } from "../../lambda/base/parts.ts";

const atOnce = 10;

/** Runs some work for many items, ten at a time. */
export async function inTurns<T, R>(
  all: readonly T[],
  work: (one: T) => Promise<R>,
): Promise<readonly R[]> {
  const done: R[] = [];
  for (const some of partsOf(all, atOnce)) done.push(...(await Promise.all(some.map(work))));
  return done;
}
