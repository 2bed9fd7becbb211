import { createHash } from "node:crypto";
import { basename } from "node:path";
import { type BuildOptions, build, type Metafile, type Plugin, transform } from "esbuild";

/** A file of a function. */
export interface BundlePart {
  readonly name: string;
  readonly code: string;
  readonly map: string;
  /** The time at which the function loads it. */
  readonly loaded: "at start" | "when needed";
}

/** The files of a function, `index.cjs` first, and how many bytes of them come from each source. */
export interface BundleParts {
  readonly parts: readonly BundlePart[];
  readonly inputs: Readonly<Record<string, number>>;
}

const entry = "index.cjs";

/**
 * Bundles a function into `index.cjs`, with more files for what it imports only when something needs it.
 *
 * esbuild splits ES modules only, so it makes these first, and then one file of CommonJS of all that are loaded at the start, and
 * one of each other. They do not stay ES modules, because such a module would load all of Node's own undici with `node:http`.
 */
export async function partsOf(source: string, options: BuildOptions): Promise<BundleParts> {
  const { outputFiles = [], metafile } = await build({
    ...options,
    entryPoints: [{ in: source, out: "index" }],
    outdir: "dist", // only for names: esbuild writes no files
    outExtension: { ".js": ".cjs" },
    chunkNames: "[name]-[hash]",
    format: "esm",
    splitting: true,
    sourcemap: "inline",
    metafile: true,
    write: false,
  });
  const made = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  const found = modulesIn(metafile);
  const late = found.filter(({ loaded }) => loaded === "when needed");
  const start = startOf(metafile, late, made);
  const first = { name: entry, loaded: "at start", ...(await oneFile(start, options)) } as const;
  const others = await Promise.all(
    late.map(async (one) => {
      const part = await commonJs(one, made.get(one.name) ?? "", options);
      return { ...part, code: requiredFrom(start, part.code) };
    }),
  );
  return { parts: withFinalNames([first, ...others]), inputs: inputsOf(found, metafile) };
}

/** The modules that are loaded at the start, and which of them the late ones need. */
function startOf(
  { outputs }: Metafile,
  late: readonly Module[],
  made: ReadonlyMap<string, string>,
): Modules {
  const names = new Set(late.map(({ name }) => name));
  const codes = new Map([...made].filter(([name]) => !names.has(name)));
  const needed = late.flatMap(({ name }) => imported(outputs, name, "import-statement"));
  return { entry, codes, shared: [...new Set(needed)].filter((name) => codes.has(name)) };
}

type Module = Pick<BundlePart, "loaded" | "name">;
type Outputs = Metafile["outputs"];

/** The files in the order in which they are met from the entry, first those that are loaded at the start. */
function modulesIn({ outputs }: Metafile): readonly Module[] {
  const met = new Map<string, Module>();
  const meet = (name: string, loaded: BundlePart["loaded"]): void => {
    if (met.has(name)) return;
    met.set(name, { name, loaded });
    for (const other of imported(outputs, name, "import-statement")) meet(other, loaded);
  };
  meet(entry, "at start");
  // A map goes on to the entries that are added meanwhile.
  for (const name of met.keys())
    for (const other of imported(outputs, name, "dynamic-import")) meet(other, "when needed");
  return [...met.values()];
}

const outputOf = (outputs: Outputs, name: string) => outputs[`dist/${name}`];

const imported = (outputs: Outputs, name: string, kind: string): readonly string[] =>
  (outputOf(outputs, name)?.imports ?? [])
    .filter((one) => one.kind === kind && one.external !== true)
    .map(({ path }) => basename(path));

async function commonJs(module: Module, code: string, options: BuildOptions): Promise<BundlePart> {
  const { minify, target, platform, legalComments } = options;
  const made = await transform(code, {
    minify,
    target,
    platform,
    legalComments,
    format: "cjs",
    supported: { "dynamic-import": false }, // becomes a require, as late as the import
    sourcemap: "external",
    sourcefile: module.name,
  });
  return { ...module, code: made.code, map: made.map };
}

/**
 * Names each file after the content of all, so that files of two builds never mix.
 *
 * esbuild's own names depend on the folder in which somebody builds.
 */
function withFinalNames(parts: readonly BundlePart[]): readonly BundlePart[] {
  const numbered = renamed(parts, (name, at) => `${title(name)}-${at}`);
  const whole = createHash("sha256");
  for (const { code } of numbered) whole.update(code);
  const hash = whole.digest("hex").slice(0, 8);
  return renamed(parts, (name, at) => `${title(name)}-${at}-${hash}`);
}

const title = (name: string): string => name.replace(/-[^-]*$/, "");

function renamed(
  parts: readonly BundlePart[],
  rename: (name: string, at: number) => string,
): readonly BundlePart[] {
  const names = new Map(
    parts.map(({ name }, at) => [name, name === entry ? entry : `${rename(name, at)}.cjs`]),
  );
  const nameOf = (name: string): string => names.get(name) ?? name;
  return parts.map((part) => ({
    ...part,
    name: nameOf(part.name),
    code: part.code.replace(
      /\brequire\("\.\/([^"/]+)"\)/g,
      (_, name) => `require("./${nameOf(name)}")`,
    ),
  }));
}

function inputsOf(found: readonly Module[], { outputs }: Metafile): Record<string, number> {
  const bytes: Record<string, number> = {};
  for (const { name } of found)
    for (const [path, { bytesInOutput }] of Object.entries(outputOf(outputs, name)?.inputs ?? {}))
      bytes[path] = (bytes[path] ?? 0) + bytesInOutput;
  return bytes;
}

/** ES modules of esbuild, by their names, of which other files need some. */
interface Modules {
  readonly entry: string;
  readonly codes: ReadonlyMap<string, string>;
  readonly shared: readonly string[];
}

/** The code of a file, and its source map. */
interface OneFile {
  readonly code: string;
  readonly map: string;
}

/**
 * Makes one CommonJS file of modules. It exports what its entry does, and each shared module as a whole.
 *
 * One file starts faster than many: Node resolves and opens each, and a name in the same file needs no look-up in another.
 */
async function oneFile(modules: Modules, options: BuildOptions): Promise<OneFile> {
  const { minify, target, platform, legalComments } = options;
  const { outputFiles = [] } = await build({
    minify,
    target,
    platform,
    legalComments,
    logLevel: "silent",
    stdin: { contents: exportsOf(modules), sourcefile: "exports.js" },
    bundle: true,
    outfile: modules.entry,
    format: "cjs",
    supported: { "dynamic-import": false }, // becomes a require, as late as the import
    sourcemap: "external",
    write: false,
    plugins: [provided(modules)],
  });
  const [code, map] = outputFiles.toSorted((one, other) => one.path.length - other.path.length);
  return { code: code?.text ?? "", map: map?.text ?? "" };
}

const exportsOf = ({ entry, shared }: Modules): string =>
  [
    `export * from "./${entry}";`,
    ...shared.map((name, at) => `export * as part${at} from "./${name}";`),
  ].join("\n");

/** Takes from the one file what another file requires of its modules. */
const requiredFrom = ({ entry, shared }: Modules, code: string): string =>
  code.replace(/\brequire\("\.\/([^"/]+)"\)/g, (asIs, name) =>
    shared.includes(name) ? `require("./${entry}").part${shared.indexOf(name)}` : asIs,
  );

const provided = ({ codes }: Modules): Plugin => ({
  name: "provided",
  setup(build) {
    build.onResolve({ filter: /^\.\// }, ({ path }) =>
      codes.has(path.slice(2)) ? { path, namespace: "provided" } : { path, external: true },
    );
    build.onLoad({ filter: /.*/, namespace: "provided" }, ({ path }) => ({
      contents: codes.get(path.slice(2)) ?? "",
    }));
  },
});
