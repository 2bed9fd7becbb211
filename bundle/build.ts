import { writeFile } from "node:fs/promises";
import { dirname, relative } from "node:path";
import { billOfMaterials } from "./bill-of-materials.ts";
import { buildFunctions } from "./build-functions.ts";

try {
  for (const made of await buildFunctions()) {
    const { file, bytes, sha256 } = made;
    await writeFile(`${dirname(file)}.cdx.json`, billOfMaterials(made));
    const size = `${(bytes / 1000).toFixed(1)} kB`;
    process.stderr.write(`${relative(process.cwd(), file)}  ${size}  sha256 ${sha256}\n`);
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
