import { posix } from "node:path";
import { importsOf } from "./imports-of.ts";
import type { SourceFile } from "./source-file.ts";

/** Which files each file imports, types included. */
export type Imports = ReadonlyMap<string, readonly string[]>;

/** Reads which of these files import which others of them. */
export function importsAmong(files: readonly SourceFile[]): Imports {
  const paths = new Set(files.map(({ path }) => path));
  return new Map(
    files.map(({ path, text }) => {
      const targets = importsOf(text).filter((target) => target.startsWith("."));
      const found = targets.map((target) => posix.join(posix.dirname(path), target));
      return [path, found.filter((target) => paths.has(target))];
    }),
  );
}

/** All files that a file needs, itself included. */
function reachedFrom(start: string, imports: Imports): ReadonlySet<string> {
  const reached = new Set([start]);
  // A set is walked in the order in which it grows.
  for (const path of reached) for (const target of imports.get(path) ?? []) reached.add(target);
  return reached;
}

/** The files that need themselves: each is part of a circle. */
export const inCircles = (imports: Imports): readonly string[] =>
  [...imports].flatMap(([path, targets]) =>
    targets.some((target) => reachedFrom(target, imports).has(path)) ? [path] : [],
  );
