import { readFile, rm } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { build, type Plugin } from "esbuild";
import { projectRoot } from "./project-root.ts";

const folder = join(projectRoot, "dist", "cli");

/** Builds the command line into `dist/cli`, because Node reads no TypeScript in an installed package. */
export async function buildCommandLine(): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await build({
    absWorkingDir: projectRoot,
    entryPoints: {
      "eks-node-lifecycle": "bin/eks-node-lifecycle.ts",
      "runtime-client": "sandbox/lambda/runtime-client.js",
    },
    outdir: folder,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node22",
    minify: true,
    legalComments: "none",
    logLevel: "silent",
    banner: { js: requireOfModules },
    // Only a checkout of the project builds functions; the package has them.
    external: ["esbuild"],
    plugins: [placesOfSources],
  });
}

/** The beginning of a bundle of ES modules, so that the CommonJS modules in it can be loaded. */
export const requireOfModules = `import{createRequire as makeRequire}from"node:module";const require=makeRequire(import.meta.url);`;

/** Lets every file find what lies beside its source, although it is now in `dist/cli`. */
const placesOfSources: Plugin = {
  name: "places-of-sources",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/](bundle|cli|sandbox)[\\/].*\.[jt]s$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8");
      if (path.includes(`${sep}node_modules${sep}`) || !source.includes("import.meta"))
        return undefined;
      const place = JSON.stringify(relative(folder, path).split(sep).join("/"));
      const contents = source
        .replaceAll("./runtime-client.js", "../../dist/cli/runtime-client.js")
        .replaceAll("import.meta.dirname", 'pathOf(new URL(".", sourcePlace)).slice(0, -1)')
        .replaceAll("import.meta.url", "sourcePlace");
      return { contents: `${header(place)}${contents}`, loader: "ts" };
    });
  },
};

const header = (place: string): string =>
  `import { fileURLToPath as pathOf } from "node:url";const sourcePlace = new URL(${place}, import.meta.url);`;
