import { existsSync, globSync, readFileSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";

// A folder changes when a file of it goes; npm writes its list after whatever it installs.
const sources = [
  "{tools/bundle,lambda}",
  "{tools/bundle,lambda}/**",
  "package.json",
  "node_modules/.package-lock.json",
];

/** Whether the bundles of these functions in `dist/` are whole, and were built after the last change to anything that they are made of. */
export function areCurrent(root: string, names: readonly string[]): boolean {
  const bundles = names.map((name) => found(join(root, "dist", name, "index.cjs")));
  const oldest = Math.min(...bundles.map((bundle) => bundle?.mtimeMs ?? 0));
  const changes = globSync(sources, { cwd: root }).map((path) => found(join(root, path)));
  const isOlder = (source: Stats | undefined) => source !== undefined && source.mtimeMs < oldest;
  return changes.every(isOlder) && names.every((name) => isWhole(join(root, "dist", name)));
}

/** Whether a bundle has each file that one of its files names. */
const isWhole = (folder: string): boolean =>
  globSync("*.cjs", { cwd: folder })
    .map((name) => readFileSync(join(folder, name), "utf8"))
    .flatMap((code) => [...code.matchAll(/\brequire\("\.\/([^"/]+)"\)/g)])
    .every(([, name = ""]) => existsSync(join(folder, name)));

/** Whether the bundle of this function is; see {@link areCurrent}. */
export const isCurrent = (root: string, name: string): boolean => areCurrent(root, [name]);

const found = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false });
