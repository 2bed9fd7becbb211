import type { Plugin } from "esbuild";

/** A module that no function uses, and its exports. An export that is used after all throws. */
export interface UnusedModule {
  /** The module, as it is imported. */
  readonly path: string;
  readonly exports: readonly string[];
  /** What the error says. */
  readonly reason: string;
}

/** Leaves a module out of the bundles. */
export const stub = ({ path, exports, reason }: UnusedModule): Plugin => {
  const filter = new RegExp(`^${path}$`);
  const names = exports.map((name) => `refuse as ${name}`).join(", ");
  const message = JSON.stringify(`${path} is not part of this bundle: ${reason}`);
  const contents = `function refuse() { throw new Error(${message}); }\nexport { ${names} };`;
  return {
    name: `stub of ${path}`,
    setup(build) {
      build.onResolve({ filter }, () => ({ path, namespace: "stub" }));
      build.onLoad({ filter, namespace: "stub" }, () => ({ contents }));
    },
  };
};
