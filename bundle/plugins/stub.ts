import type { Plugin } from "esbuild";

/** A module that no function uses, and its exports. An export that is used after all throws. */
export interface UnusedModule {
  /** The module, as it is imported. */
  readonly path: string;
  readonly exports: readonly string[];
  /** Exports that are called although nothing is made of the answer: each gives back what it gets. @default none */
  readonly passing?: readonly string[];
  /** What the error says. */
  readonly reason: string;
}

/** Leaves a module out of the bundles. */
export const stub = ({ path, exports, passing = [], reason }: UnusedModule): Plugin => {
  const filter = new RegExp(`^${path}$`);
  const names = exports.map((name) => `refuse as ${name}`).join(", ");
  const message = JSON.stringify(`${path} is not part of this bundle: ${reason}`);
  const refused = `function refuse() { throw new Error(${message}); }\nexport { ${names} };`;
  const passed = passing.map((name) => `export const ${name} = (given) => given;`);
  const contents = [refused, ...passed].join("\n");
  return {
    name: `stub of ${path}`,
    setup(build) {
      build.onResolve({ filter }, () => ({ path, namespace: "stub" }));
      build.onLoad({ filter, namespace: "stub" }, () => ({ contents }));
    },
  };
};
