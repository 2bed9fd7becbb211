import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A source file, with its path from the project's root. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Every source of the functions, which is everything in lambda/. */
export const functionSources = (root: string): readonly SourceFile[] =>
  globSync("lambda/**/*.ts", { cwd: root })
    .map((path) => path.replaceAll("\\", "/"))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
