import { Random } from "../../../sandbox/kubernetes/random.ts";

/** Draws a number from 0 to a limit, which itself is never drawn. */
export type Draw = (limit: number) => number;

/** A source of numbers that draws the same ones for the same seed. */
export function drawFrom(seed: number): Draw {
  const random = new Random(seed);
  return (limit) => random.below(limit);
}

/** One of several choices. */
export function oneOf<T>(draw: Draw, choices: readonly T[]): T {
  const chosen = choices[draw(choices.length)];
  if (chosen === undefined) throw new Error("there is nothing to choose from");
  return chosen;
}

/** Whether something holds that holds once in so many draws. */
export const onceIn = (draw: Draw, draws: number): boolean => draw(draws) === 0;

/** Makes something some times, perhaps never. */
export const several = <T>(draw: Draw, most: number, make: () => T): readonly T[] =>
  Array.from({ length: draw(most + 1) }, make);
