import { dirname } from "node:path";
import type { Plugin } from "esbuild";

const chain = "@aws-sdk/credential-provider-node";
const environment = "@aws-sdk/credential-provider-env";

/** Reads AWS credentials from the environment only: Lambda always provides them there. */
export const environmentCredentials: Plugin = {
  name: "environment-credentials",
  setup(build) {
    const asked = Symbol("asked");
    build.onResolve({ filter: new RegExp(`^${chain}$`) }, async (args) => {
      if (args.pluginData === asked) return undefined;
      const { kind, resolveDir } = args;
      const { path, errors } = await build.resolve(chain, { kind, resolveDir, pluginData: asked });
      return { path: chain, namespace: "environment-credentials", pluginData: path, errors };
    });
    build.onLoad({ filter: /.*/, namespace: "environment-credentials" }, ({ pluginData }) => ({
      contents: `export { fromEnv as defaultProvider } from "${environment}";`,
      resolveDir: dirname(pluginData),
    }));
  },
};
