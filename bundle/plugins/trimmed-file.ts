import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { PluginBuild } from "esbuild";

/** Changes a source of client-node on its way into the bundle. */
export type Trim = (source: string) => string | Promise<string>;

const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");

/** Trims a file of client-node; the build fails if it uses client-node without that file. */
export function trimmedFile(
  build: PluginBuild,
  folder: string,
  [name, trim]: [string, Trim],
): void {
  const path = join(folder, name);
  let seen = false;
  build.onLoad({ filter: new RegExp(`^${escaped(path)}$`) }, async () => {
    seen = true;
    return { contents: await trim(await readFile(path, "utf8")) };
  });
  build.onEnd(({ metafile }) => {
    const used = Object.keys(metafile?.inputs ?? {}).some((input) =>
      input.endsWith("@kubernetes/client-node/dist/gen/index.js"),
    );
    return used && !seen ? { errors: [{ text: `client-node no longer reads its ${name}` }] } : {};
  });
}
