import { createHash } from "node:crypto";
import { globSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { build, type Metafile, type OutputFile } from "esbuild";
import { type BundledPackage, bundledPackages } from "./bundled-packages.ts";
import { clientNodeFolder, type KubernetesUse } from "./client-node.ts";
import { esbuildOptions } from "./esbuild-options.ts";
import { fieldsInUse } from "./fields.ts";
import { functionSources } from "./function-sources.ts";
import { missingOperations } from "./missing-operations.ts";
import { type Operations, operations as operationsInUse } from "./operations.ts";

/** What to build, and how large it may be. */
export interface BundleOptions {
  /** The project, with its lambda/ and node_modules/. @default this project */
  readonly root?: string;
  /** The folder that the functions are written to. @default dist/ in the project */
  readonly folder?: string;
  /** How large a function may be, in bytes. @default 780000 */
  readonly budget?: number;
  /** The operations of client-node that are deployed. @default those of operations.ts */
  readonly operations?: Operations;
}

/** A function as it is deployed: one file in a folder of its own, and its source map elsewhere. */
export interface FunctionBundle {
  readonly name: string;
  readonly file: string;
  readonly map: string;
  readonly bytes: number;
  readonly sha256: string;
  /** Its source files, and how many bytes of the bundle come from each. */
  readonly inputs: Readonly<Record<string, number>>;
  /** The packages among them. */
  readonly packages: readonly BundledPackage[];
}

interface Bundled {
  readonly name: string;
  readonly code: Uint8Array;
  readonly map: Uint8Array;
  readonly inputs: Readonly<Record<string, number>>;
  readonly packages: readonly BundledPackage[];
}

const projectRoot = dirname(import.meta.dirname);

/** Builds every `lambda/<name>-handler.ts` into `<folder>/<name>/index.cjs`. */
export async function buildFunctions(
  options: BundleOptions = {},
): Promise<readonly FunctionBundle[]> {
  const { root = projectRoot, operations = operationsInUse, budget = 780_000 } = options;
  const { folder = join(root, "dist") } = options;
  const use = {
    operations,
    fields: fieldsInUse,
    sources: functionSources(root),
    clientNode: clientNodeFolder(root),
  };
  await assertOperations(use);
  const functions = await bundle(root, use);
  for (const { name, code } of functions) assertDeployable(name, code, budget);
  return Promise.all(functions.map((one) => write(folder, one)));
}

async function assertOperations({ clientNode, operations, sources }: KubernetesUse): Promise<void> {
  const layer = await readFile(join(clientNode, "gen/types/ObjectParamAPI.js"), "utf8");
  const missing = missingOperations(sources, layer, operations);
  if (missing.length > 0) throw new Error(missing.join("\n"));
}

async function bundle(root: string, use: KubernetesUse): Promise<readonly Bundled[]> {
  const names = globSync("lambda/*-handler.ts", { cwd: root })
    .map((path) => path.replace(/^lambda.|-handler\.ts$/g, ""))
    .sort();
  if (names.length === 0) throw new Error(`there is no *-handler.ts in ${join(root, "lambda")}`);
  const entryPoints = names.map((name) => ({ in: `lambda/${name}-handler.ts`, out: name }));
  const { outputFiles, metafile } = await build({ ...esbuildOptions(root, use), entryPoints });
  return names.map((name) => {
    const inputs = inputsOf(metafile, `dist/${name}.cjs`);
    return {
      name,
      code: contents(outputFiles, `${name}.cjs`),
      map: contents(outputFiles, `${name}.cjs.map`),
      inputs,
      packages: bundledPackages(root, inputs),
    };
  });
}

function contents(files: readonly OutputFile[], name: string): Uint8Array {
  const file = files.find(({ path }) => path.endsWith(`${sep}${name}`));
  if (file === undefined) throw new Error(`esbuild made no ${name}`);
  return file.contents;
}

const inputsOf = ({ outputs }: Metafile, file: string): Record<string, number> =>
  Object.fromEntries(
    Object.entries(outputs[file]?.inputs ?? {}).map(([path, { bytesInOutput }]) => [
      path,
      bytesInOutput,
    ]),
  );

function assertDeployable(name: string, code: Uint8Array, budget: number): void {
  // esbuild writes this note of the exports of a CommonJS module
  if (!/0&&\(module\.exports=\{[^}]*\bhandler\b/.test(Buffer.from(code).toString())) {
    throw new Error(`lambda/${name}-handler.ts exports no handler`);
  }
  if (code.length > budget) {
    throw new Error(`function ${name} has ${code.length} bytes, and may have ${budget}`);
  }
}

async function write(
  folder: string,
  { name, code, map, ...made }: Bundled,
): Promise<FunctionBundle> {
  const file = join(folder, name, "index.cjs");
  const mapFile = join(folder, "maps", `${name}.cjs.map`);
  await Promise.all([replace(file, code), replace(mapFile, map)]);
  const sha256 = createHash("sha256").update(code).digest("hex");
  return { name, file, map: mapFile, bytes: code.length, sha256, ...made };
}

// Replaces the file in one step, because another process may be running the old function.
async function replace(file: string, content: Uint8Array): Promise<void> {
  const fresh = `${file}.${process.pid}`;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(fresh, content);
  await rename(fresh, file);
}
