import { it } from "vitest";

// Runs last, and lends its context to the tests of all other files: see tests-in-place.ts.
it("carries the tests", () => undefined);
