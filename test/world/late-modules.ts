import { globSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";

const late = /\bimport\(\s*"(\.[^"]+)"\s*\)/g;

/** The modules that functions load only when they need them. */
export const lateModules: readonly string[] = [
  ...new Set(
    globSync("lambda/**/*.ts").flatMap((path) =>
      Array.from(readFileSync(path, "utf8").matchAll(late), ([, target = ""]) =>
        resolve(dirname(path), target),
      ),
    ),
  ),
].toSorted();
