import { globSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { expect, it } from "vitest";

const late = /\bimport\(\s*"([^"]+)"\s*\)/g;

/** The names of the modules that a file loads only when it needs them. */
const loadedBy = (path: string): readonly string[] =>
  [...readFileSync(path, "utf8").matchAll(late)].map(([, target = ""]) => basename(target));

// Vitest loads a module over a port of its own. No hook sees that work, so the world's time would go on meanwhile.
it("every module that the function loads late is loaded before the world's time starts", () => {
  const needed = globSync("lambda/**/*.ts").flatMap(loadedBy);
  expect(needed).not.toEqual([]);
  expect(loadedBy("test/world/function-process.ts")).toEqual(expect.arrayContaining(needed));
});
