import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Plugin } from "esbuild";

const name = "@kubernetes/client-node";

/** Tells esbuild that it may drop unused modules of client-node, whose package.json does not say so. */
export const sideEffectFree = (root: string): Plugin => ({
  name: "side-effect-free",
  setup(build) {
    const clientNode = dirname(createRequire(join(root, "package.json")).resolve(name));
    const free = (...path: readonly string[]) => ({ path: join(...path), sideEffects: false });
    build.onResolve({ filter: new RegExp(`^${name}$`) }, () => free(clientNode, "index.js"));
    build.onResolve({ filter: new RegExp(`^${name}/dist/`) }, ({ path }) =>
      free(clientNode, path.slice(`${name}/dist/`.length)),
    );
    build.onResolve({ filter: /^\..*\.js$/ }, ({ path, importer, resolveDir }) =>
      importer.startsWith(clientNode) ? free(resolveDir, path) : undefined,
    );
  },
});
