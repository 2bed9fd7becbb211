import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { requireOfModules } from "../../bundle/command-line.ts";

/**
 * Makes JavaScript of a script of this folder's parent, and returns the file's path, which is in a folder of its own. Node
 * would need 50 ms of CPU to take the types out, which it does not need for our bundle.
 */
export async function builtScript(name: string): Promise<string> {
  const outfile = join(await mkdtemp(join(tmpdir(), "bench-")), "script.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL(`../${name}`, import.meta.url))],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    banner: { js: requireOfModules },
  });
  return outfile;
}
