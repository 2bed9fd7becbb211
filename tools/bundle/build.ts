import { writeFile } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { billOfMaterials } from "./bill-of-materials.ts";
import { buildFunctions, functionNames } from "./build-functions.ts";
import { areCurrent } from "./is-current.ts";
import { projectRoot } from "./project-root.ts";

// `--if-changed` is for what needs the functions and not their making: a build takes seconds.
const isDone =
  process.argv.includes("--if-changed") && areCurrent(projectRoot, functionNames(projectRoot));
try {
  if (!isDone) await build();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function build(): Promise<void> {
  for (const made of await buildFunctions()) {
    const { file, files, bytes, startBytes, sha256 } = made;
    await writeFile(`${dirname(file)}.cdx.json`, billOfMaterials(made));
    const parts = `${kilobytes(startBytes)} at the start, ${kilobytes(bytes)} in ${files.length} files`;
    process.stderr.write(`${relative(process.cwd(), file)}  ${parts}  sha256 ${sha256}\n`);
  }
}

function kilobytes(bytes: number): string {
  return `${(bytes / 1000).toFixed(1)} kB`;
}
