import { relative } from "node:path";
import { buildFunctions } from "./build-functions.ts";

try {
  for (const { file, bytes, sha256 } of await buildFunctions()) {
    const size = `${(bytes / 1000).toFixed(1)} kB`;
    process.stderr.write(`${relative(process.cwd(), file)}  ${size}  sha256 ${sha256}\n`);
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
