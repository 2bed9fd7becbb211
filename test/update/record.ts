/** Records the bundles of a build, so that later versions are updated from it: `node test/update/record.ts dist`. */
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";
import { recordedBundles } from "./previous.ts";

const [, , folder = "dist"] = process.argv;
const paths = globSync("{node,repair,upgrade}/*.cjs", { cwd: folder }).toSorted();
if (paths.length === 0) throw new Error(`there is no bundle in ${folder}: npm run bundle`);
const files = paths.map((path) => [path, readFileSync(join(folder, path), "utf8")]);
// The functions have much in common, far apart.
const params = { [constants.BROTLI_PARAM_LGWIN]: constants.BROTLI_MAX_WINDOW_BITS };
const text = JSON.stringify(Object.fromEntries(files));
writeFileSync(recordedBundles, brotliCompressSync(text, { params }));
