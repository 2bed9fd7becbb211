import { globSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";

// A folder changes when a file of it goes; npm writes its list after whatever it installs.
const sources = [
  "{bundle,lambda}",
  "{bundle,lambda}/**",
  "package.json",
  "node_modules/.package-lock.json",
];

/** Whether the bundles of these functions in `dist/` were built after the last change to anything that they are made of. */
export function areCurrent(root: string, names: readonly string[]): boolean {
  const bundles = names.map((name) => found(join(root, "dist", name, "index.cjs")));
  const oldest = Math.min(...bundles.map((bundle) => bundle?.mtimeMs ?? 0));
  const changes = globSync(sources, { cwd: root }).map((path) => found(join(root, path)));
  return changes.every((source) => source !== undefined && source.mtimeMs < oldest);
}

/** Whether the bundle of this function is; see {@link areCurrent}. */
export const isCurrent = (root: string, name: string): boolean => areCurrent(root, [name]);

const found = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });
