import { globSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";

// A folder changes when a file of it goes; npm writes its list after whatever it installs.
const sources = [
  "{bundle,lambda}",
  "{bundle,lambda}/**",
  "package.json",
  "node_modules/.package-lock.json",
];

/** Whether a function's bundle in `dist/` was built after the last change to anything that it is made of. */
export function isCurrent(root: string, name: string): boolean {
  const bundle = found(join(root, "dist", name, "index.cjs"));
  if (bundle === undefined) return false;
  const changes = globSync(sources, { cwd: root }).map((path) => found(join(root, path)));
  return changes.every((source) => source !== undefined && source.mtimeMs < bundle.mtimeMs);
}

const found = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });
