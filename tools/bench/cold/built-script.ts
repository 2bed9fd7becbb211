import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { requireOfModules } from "../../bundle/command-line.ts";

let built: Promise<string> | undefined;

/**
 * Makes JavaScript of the bare script once, and returns the file's path, which is in a folder of its own until this process
 * ends. Node would need 50 ms of CPU to take the types out, which it does not need for our bundle.
 */
export function builtScript(): Promise<string> {
  built ??= buildScript();
  return built;
}

async function buildScript(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, "script.mjs");
  await build({
    entryPoints: [fileURLToPath(new URL("../bare-script.ts", import.meta.url))],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    banner: { js: requireOfModules },
  });
  return outfile;
}
