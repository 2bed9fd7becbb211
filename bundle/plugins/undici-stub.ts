import type { Plugin } from "esbuild";

const contents = `
function refuse() {
  throw new Error("undici is not part of this bundle: client-node must be given its httpApi");
}
export { refuse as Agent, refuse as ProxyAgent, refuse as fetch };
`;

/**
 * Leaves undici out: client-node's own transport is never used, ours is given to it.
 *
 * Why: docs/decisions/0013-the-transport-is-our-own.md.
 */
export const undiciStub: Plugin = {
  name: "undici-stub",
  setup(build) {
    build.onResolve({ filter: /^undici$/ }, () => ({ path: "undici", namespace: "stub" }));
    build.onLoad({ filter: /^undici$/, namespace: "stub" }, () => ({ contents }));
  },
};
