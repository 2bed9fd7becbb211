import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  /** As its package.json names it, such as `Apache-2.0`. */
  readonly license: string;
  /** The bytes of the bundle that come from it. */
  readonly bytes: number;
  /** The texts that its authors ask to be passed on: its licence, and its notices. */
  readonly texts: readonly string[];
}

const inPackage = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;

/** The packages whose files are in a bundle, in the order of their names; `inputs` says how many bytes come from each file. */
export function bundledPackages(
  root: string,
  inputs: Readonly<Record<string, number>>,
): readonly BundledPackage[] {
  const bytes = new Map<string, number>();
  for (const [path, count] of Object.entries(inputs)) {
    const folder = inPackage.exec(path)?.[1];
    if (folder !== undefined && count > 0) bytes.set(folder, (bytes.get(folder) ?? 0) + count);
  }
  return [...bytes]
    .map(([folder, count]) => packageIn(join(root, folder), count))
    .sort((one, other) => (idOf(one) < idOf(other) ? -1 : 1));
}

export const idOf = ({ name, version }: BundledPackage): string => `${name} ${version}`;

function packageIn(folder: string, bytes: number): BundledPackage {
  const { name, version, license }: Readonly<Record<string, string | undefined>> = Object(
    JSON.parse(readFileSync(join(folder, "package.json"), "utf8")),
  );
  const texts = globSync("{LICEN[CS]E,NOTICE}*", { cwd: folder })
    .sort()
    .map((file) => readFileSync(join(folder, file), "utf8").trim());
  if (name === undefined || version === undefined || license === undefined || texts.length === 0)
    throw new Error(`${folder} has no name, version or licence, and nothing like that may ship`);
  return { name, version, license, bytes, texts };
}
