import { type BuildOptions, build, type Plugin } from "esbuild";

/** ES modules of esbuild, by their names, of which other files need some. */
export interface Modules {
  readonly entry: string;
  readonly codes: ReadonlyMap<string, string>;
  readonly shared: readonly string[];
}

/** The code of a file, and its source map. */
export interface OneFile {
  readonly code: string;
  readonly map: string;
}

/**
 * Makes one CommonJS file of modules. It exports what its entry does, and each shared module as a whole.
 *
 * One file starts faster than many: Node resolves and opens each, and a name in the same file needs no look-up in another.
 */
export async function oneFile(modules: Modules, options: BuildOptions): Promise<OneFile> {
  const { minify, target, platform, legalComments } = options;
  const { outputFiles = [] } = await build({
    ...{ minify, target, platform, legalComments, logLevel: "silent" },
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
export const requiredFrom = ({ entry, shared }: Modules, code: string): string =>
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
