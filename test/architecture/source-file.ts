import { globSync } from "node:fs";
import { readFile } from "node:fs/promises";

/** A file of the project's own code; its path is relative to the project's root. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

const withCode = "{bin,bundle,lib,lambda,cli,journal,sandbox,clusters,generate,bench,test}";

/** Reads every file of code that is not planted for the linter. */
export async function readSources(): Promise<readonly SourceFile[]> {
  const patterns = [`${withCode}/**/*.ts`, "*.ts"];
  const paths = globSync(patterns, { exclude: ["test/planted/**"] });
  return Promise.all(
    paths.toSorted().map(async (path) => ({ path, text: await readFile(path, "utf8") })),
  );
}
