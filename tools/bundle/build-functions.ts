import { createHash } from "node:crypto";
import { globSync } from "node:fs";
import { mkdir, readdir, rename, rm, utimes, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { BuildOptions } from "esbuild";
import { type BundlePart, type BundleParts, partsOf } from "./parts.ts";
import { awsSchemas } from "./plugins/aws-schemas.ts";
import { manifests } from "./plugins/manifests.ts";
import { environmentCredentials, noSharedConfig } from "./plugins/no-shared-config.ts";
import { packageVersions } from "./plugins/package-versions.ts";
import { projectRoot } from "./project-root.ts";

/** The functions to build, and their size limit. */
export interface BundleOptions {
  /** The project, with its lambda/ and node_modules/. @default this project */
  readonly root?: string;
  /** The folder that the functions are written to. @default dist/ in the project */
  readonly folder?: string;
  /**
   * The most bytes that a function may load when it starts.
   * @default 400000, and more for upgrades and repairs, whose start nobody waits for
   */
  readonly budget?: number;
}

/** A function as it is deployed: some files in a folder of its own, and their source maps elsewhere. */
export interface FunctionBundle {
  readonly name: string;
  /** The file that Lambda loads. */
  readonly file: string;
  /** All files, in the order of their names. */
  readonly files: readonly string[];
  /** The bytes that it loads when it starts. */
  readonly startBytes: number;
  /** The bytes of all its files. */
  readonly bytes: number;
  /** The hash of all files, one after the other in the order of their names. */
  readonly sha256: string;
  /** Its source files, and how many bytes of the bundle come from each. */
  readonly inputs: Readonly<Record<string, number>>;
}

interface Bundled extends BundleParts {
  readonly name: string;
}

/** Builds every `lambda/<name>-handler.ts` into `<folder>/<name>/`, where Lambda finds `index.cjs`. */
export async function buildFunctions(
  options: BundleOptions = {},
): Promise<readonly FunctionBundle[]> {
  const { root = projectRoot, budget } = options;
  const { folder = join(root, "dist") } = options;
  const began = new Date();
  const functions = await bundle(root);
  for (const one of functions)
    assertDeployable(one, budget ?? budgets.get(one.name) ?? usualBudget);
  const made = await Promise.all(functions.map((one) => write(folder, one)));
  // A file saved during a build may be missing in it, so isCurrent must find it newer.
  await Promise.all(made.map(({ file }) => utimes(file, began, began)));
  return made;
}

/** The functions that a project has: every `lambda/<name>-handler.ts`. */
export const functionNames = (root: string): readonly string[] =>
  globSync("lambda/*-handler.ts", { cwd: root })
    .map((path) => path.replace(/^lambda.|-handler\.ts$/g, ""))
    .sort();

function bundle(root: string): Promise<readonly Bundled[]> {
  const names = functionNames(root);
  if (names.length === 0) throw new Error(`there is no *-handler.ts in ${join(root, "lambda")}`);
  return Promise.all(
    names.map(async (name) => ({
      name,
      ...(await partsOf(`lambda/${name}-handler.ts`, esbuildOptions(root))),
    })),
  );
}

// V8 compiles what a start loads, so bytes are time before the first eviction. The budgets have some air: they stop a package
// that slips in, and not the next line of a log. `npm run bench:instructions` holds the work itself.
const usualBudget = 400_000;
const budgets: ReadonlyMap<string, number> = new Map([
  ["upgrade", 500_000],
  ["repair", 440_000],
]);

function assertDeployable({ name, parts, inputs }: Bundled, budget: number): void {
  // esbuild writes this note of the exports of a CommonJS module
  if (!/0&&\(module\.exports=\{[^}]*\bhandler\b/.test(parts[0]?.code ?? "")) {
    throw new Error(`lambda/${name}-handler.ts exports no handler`);
  }
  if (Object.keys(inputs).some((path) => path.includes("/client-node/")))
    throw new Error(`function ${name} has client-node in it: use sendRequest instead`);
  const bytes = startBytesOf(parts);
  if (bytes > budget) {
    throw new Error(`function ${name} loads ${bytes} bytes when it starts, and may load ${budget}`);
  }
}

const bytesOf = (parts: readonly BundlePart[]): number =>
  parts.reduce((sum, { code }) => sum + Buffer.byteLength(code), 0);

const startBytesOf = (parts: readonly BundlePart[]): number =>
  bytesOf(parts.filter(({ loaded }) => loaded === "at start"));

/** Writes the files, the one that Lambda loads last, and removes those of earlier builds. */
async function write(top: string, { name, parts, inputs }: Bundled): Promise<FunctionBundle> {
  const folder = join(top, name);
  const sorted = parts.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const files = sorted.map((part) => join(folder, part.name));
  for (const part of parts.toReversed()) {
    await replace(join(top, "maps", name, `${part.name}.map`), part.map);
    await replace(join(folder, part.name), part.code);
  }
  await Promise.all([removeOthers(folder, files), removeOthers(join(top, "maps", name), files)]);
  return {
    name,
    file: join(folder, "index.cjs"),
    files,
    startBytes: startBytesOf(parts),
    bytes: bytesOf(parts),
    sha256: createHash("sha256")
      .update(sorted.map(({ code }) => code).join(""))
      .digest("hex"),
    inputs,
  };
}

async function removeOthers(folder: string, kept: readonly string[]): Promise<void> {
  const known = new Set(kept.map((file) => basename(file)));
  const old = (await readdir(folder)).filter(
    (file) => /\.cjs(?:\.map)?$/.test(file) && !known.has(file.replace(/\.map$/, "")),
  );
  await Promise.all(old.map((file) => rm(join(folder, file), { force: true })));
}

// Replaces the file in one step, because another process may be running the old function.
async function replace(file: string, content: string): Promise<void> {
  const fresh = `${file}.${process.pid}`;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(fresh, content);
  await rename(fresh, file);
}

/**
 * The options for bundling functions, for the shortest cold start. The `module` files of the AWS
 * SDK come first, because esbuild can drop nothing from its `main` files, which are CommonJS.
 */
export const esbuildOptions = (root: string) =>
  ({
    absWorkingDir: root,
    bundle: true,
    platform: "node",
    target: "node24",
    tsconfigRaw: { compilerOptions: { strict: true, verbatimModuleSyntax: true } },
    mainFields: ["module", "main"],
    minify: true,
    legalComments: "none",
    logLevel: "silent",
    plugins: [environmentCredentials, noSharedConfig, awsSchemas, manifests, packageVersions],
  }) satisfies BuildOptions;
