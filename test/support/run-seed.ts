import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** The seed of the run: of the order of the tests, and of random cases. */
    readonly seed: number;
  }
}

/** Tells every test file the seed that Vitest prints when it starts. */
export const setup = ({ vitest, provide }: TestProject): void =>
  provide("seed", vitest.config.sequence.seed);
