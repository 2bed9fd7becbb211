import { Random } from "../../sandbox/kubernetes/random.ts";

/** Random numbers from 0 up to 1, without 1; the same for the same seed. */
export type Chance = () => number;

/** Makes the random numbers of a seed. */
export function chanceOf(seed: number): Chance {
  const random = new Random(seed);
  return () => random.below(2 ** 32) / 2 ** 32;
}

/** Replaces `Math.random` during some work, because the SDK draws its pauses from it. */
export async function withChance<T>(chance: Chance, work: () => Promise<T>): Promise<T> {
  const { random } = Math;
  Math.random = chance;
  try {
    return await work();
  } finally {
    Math.random = random;
  }
}
